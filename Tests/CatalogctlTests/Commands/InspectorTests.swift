import CatalogControl
import CatalogEngine
import CatalogPages
import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The pages of the inspector against the commands that give the same. `Tools/check-inspector` looks at them in a browser.
@Suite(
  .promise(
    "Each view of the inspector has the answer of the command that gives the same, and no "
      + "page keeps another waiting",
    by: "compared with the commands, in the process"))
struct InspectorTests {
  /// An inspector that has time on a machine with much else to do.
  private func inspector(_ path: String) -> CatalogInspector {
    CatalogInspector(
      CatalogControl.program, CatalogDirectory(path), patience: .seconds(120))
  }

  /// The body of a page, which has to be answered with a status.
  private func page(
    _ inspector: CatalogInspector, _ path: String, _ query: String? = nil, status: Int = 200
  ) async -> String {
    let answer = await inspector.answer(path: path, query: query)
    #expect(answer.status == status, "\(path)?\(query ?? "")\n\(answer.body)")
    return answer.body
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  @Test func eachViewOfAnEmptyCatalogIsAnswered() async throws {
    for kind in ["sound-library", "concert-archive", "track-library"] {
      let folder = try ScratchFolder()
      let made = await InProcess.run(["init", "--kind", kind, "--catalog", folder.file("c")])
      try #require(made.status == 0, "\(made)")
      let inspector = inspector(folder.file("c"))
      for path in ["/", "/answer", "/operation", "/row", "/truth", "/sql", "/events"] {
        let body = await page(inspector, path)
        #expect(body.contains(kind))
      }
      let compared = await page(inspector, "/truth", "compare=rows")
      #expect(compared.contains("No drift"))
    }
  }

  @Test(arguments: [
    "100 % + 1 & 2 = 3?", "a<b>\"c\"'d'", "日本語 café", "line\nbreak", "#fragment; x",
  ])
  func aTextComesThroughAnAddress(text: String) async throws {
    let catalog = try await TestCatalog.imported()
    let sql = "SELECT '\(text.replacingOccurrences(of: "'", with: "''"))' AS t"
    let answer = await inspector(catalog.path).answer(
      path: "/sql", query: "format=csv&sql=\(Self.encoded(sql))")
    let command = await catalog.run("query", sql, "--format", "csv")
    #expect(answer.body == command.output)
  }

  /// If the catalog can have no history, one in a temporary folder answers, for as long as the log has the same end.
  @Test func aCatalogWithoutAHistoryHasTheSamePages() async throws {
    let catalog = try await TestCatalog.imported()
    let path = catalog.path
    let (own, without) = (inspector(path), inspector(path))
    let questions = [
      ("/operation", "event=2"), ("/row", "table=library_item"), ("/answer", "sql=SELECT+7"),
      ("/row", "table=library_item&key=\(SampleSeed.id(201))"),
    ]
    func pages(_ inspector: CatalogInspector) async -> [String] {
      var pages: [String] = []
      for (path, query) in questions { pages.append(await page(inspector, path, query)) }
      return pages
    }
    for mood in ["Spooky", "Grim"] {
      let added = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", mood)
      try #require(added.status == 0, "\(added)")
      try? FileManager.default.removeItem(atPath: "\(path)/history.sqlite")
      let expected = await pages(own)
      #expect(FileManager.default.fileExists(atPath: "\(path)/history.sqlite"))
      try FileManager.default.removeItem(atPath: "\(path)/history.sqlite")
      try FileManager.default.createDirectory(
        atPath: "\(path)/history.sqlite", withIntermediateDirectories: false)
      #expect(await pages(without) == expected)
      #expect(await pages(without) == expected)
    }
  }

  @Test func answersAreThoseOfTheCommands() async throws {
    let catalog = try await TestCatalog.imported()
    let item = SampleSeed.id(201)
    for mood in ["Spooky", "Spooked", "Grim"] {
      let added = await InProcess.run(
        ["tag", "add", item, "--mood", mood, "--catalog", catalog.path])
      try #require(added.status == 0, "\(added)")
    }
    let inspector = inspector(catalog.path)
    let head = try await catalog.head().sequence
    // An address without a moment shows the head; one within a batch shows the end of the batch.
    let moment = await page(inspector, "/sql", "at=2&sql=SELECT+1")
    let command = await catalog.run("query", "--at", "2", "SELECT 1")
    let shown =
      command.errors.split(separator: " ").dropFirst(3).first.map { String($0.dropLast()) } ?? ""
    #expect(moment.contains("SQL at event \(shown)"), "\(command)")

    let sql = "SELECT count(*) FROM item_mood"
    let answer = await page(inspector, "/answer", "sql=\(Self.encoded(sql))")
    let counted = await catalog.run("history", "count", sql)
    let rows = counted.output.split(separator: "\n").dropFirst()
    #expect(answer.components(separatedBy: "<tr><td class=\"number\"").count - 1 == rows.count)
    #expect(answer.contains("</b> after event \(head)."))
    // The summary of a range says nothing of a moment outside it.
    let ranged = await page(inspector, "/answer", "to=\(shown)&sql=\(Self.encoded(sql))")
    #expect(ranged.contains("in 1 change.") && !ranged.contains("</b> after event"))

    let operation = await page(inspector, "/operation", "event=\(head)")
    #expect(operation.contains("Grim") && operation.contains("\(head) --dry-run"))
    let row = await page(inspector, "/row", "table=library_item&key=\(item)")
    #expect(row.contains("Grim") && row.contains(" library_item \(item)</code>"))
    let events = await page(inspector, "/events", "search=Grim")
    #expect(events.contains("dimension.value.added") && !events.contains("seed.imported"))
    // At a moment the list and its command end there.
    let earlier = await page(inspector, "/events", "at=2")
    #expect(!earlier.contains("Grim"))
    let all = await catalog.run("log", "--newest", "--through", shown)
    let listed = await catalog.run("log", "--through", shown)
    #expect(all.output.split(separator: "\n").reversed() == listed.output.split(separator: "\n"))
    #expect(all.output.hasPrefix("\(shown)  ") && !all.output.contains("Grim"))
    let live = await page(inspector, "/live")
    #expect(live == "{\"head\":\(head)}\n")
    // A file of this process, as a rebuild has one; that of a process that is gone says nothing.
    for (process, isTold) in [(getpid(), true), (pid_t.max, false)] {
      let file = "\(catalog.path)/.catalog.sqlite.rebuild-\(process)"
      try Data().write(to: URL(filePath: file))
      let rebuilding = await page(inspector, "/live")
      #expect(rebuilding.contains("\"rebuild\":\(process)") == isTold, "\(rebuilding)")
      try FileManager.default.removeItem(atPath: file)
    }
  }

  /// Each page says that the database was changed by hand, and none says that all is well before rows were compared.
  @Test func eachPageSaysThatTheDatabaseWasChanged() async throws {
    let catalog = try await TestCatalog.imported()
    let inspector = inspector(catalog.path)
    let paths = ["/answer", "/operation", "/row", "/truth", "/sql", "/events"]
    for path in paths {
      let body = await page(inspector, path)
      #expect(!body.contains("id=\"changed\""), "\(path)")
    }
    let untouched = await page(inspector, "/truth")
    #expect(untouched.contains("Not compared with the log yet."))
    #expect(!untouched.contains("All tables are the same."))
    #expect(untouched.contains("choose another moment"))

    try await catalog.sqlite(
      "UPDATE library_item SET title = 'Oops' WHERE id = '\(SampleSeed.id(101))'")
    for path in paths {
      let body = await page(inspector, path)
      #expect(body.contains("id=\"changed\" role=\"alert\""), "\(path)")
      #expect(body.contains("library_item") && body.contains("rebuild --keep-old"), "\(path)")
    }
    let changed = await page(inspector, "/truth")
    #expect(changed.contains("The rows are not those that the projector wrote"), "\(changed)")
    let compared = await page(inspector, "/truth", "compare=rows")
    #expect(compared.contains("Oops") && compared.contains("1 difference"), "\(compared)")

    let rebuilt = await catalog.run("rebuild")
    try #require(rebuilt.status == 0, "\(rebuilt)")
    let after = await page(inspector, "/events")
    #expect(!after.contains("id=\"changed\""), "\(after)")
  }

  /// The page Truth beside what `diverge` says: the same, later events in one, another past.
  @Test func twoCatalogsAreComparedSideBySide() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let other = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let inspector = CatalogInspector(
      CatalogControl.program, CatalogDirectory(catalog.path),
      beside: CatalogDirectory(other.path))
    func expectAgreement(_ verdict: String) async throws -> String {
      let body = await page(inspector, "/truth")
      let found = await InProcess.run(
        ["diverge", catalog.path, other.path, "--format", "json"])
      let json = try found.object()
      #expect(json["verdict"] as? String == verdict, "\(found)")
      #expect(body.contains("data-verdict=\"\(verdict)\""), "\(body)")
      #expect(body.contains("catalogctl diverge --catalog \(catalog.path) \(other.path)"))
      return body
    }
    let same = try await expectAgreement("same")
    #expect(!same.contains("first-row") && same.contains("All tables are the same."))
    func tag(_ catalog: TestCatalog, _ mood: String) async throws {
      let outcome = await InProcess.run([
        "tag", "add", SampleSeed.id(201), "--mood", mood, "--catalog", catalog.path,
      ])
      try #require(outcome.status == 0, "\(outcome)")
    }
    try await tag(catalog, "Grim")
    let longer = try await expectAgreement("same")
    #expect(longer.contains("A continues to event"))
    #expect(!longer.contains("<td>differs</td>"))
    try await tag(other, "Merry")
    let parted = try await expectAgreement("log")
    #expect(parted.contains("id=\"first-batches\"") && parted.contains("id=\"first-row\""))
    #expect(parted.contains("Grim") && parted.contains("Merry") && parted.contains("differ"))
  }

  /// A page that waits for another process says so, to those who ask meanwhile, and has its time afterwards.
  @Test(.timeLimit(.minutes(5))) func aPageThatWaitsSaysWhatFor() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let inspector = inspector(catalog.path)
    let lock = try HeldLock(folder: catalog.path)
    async let operation = inspector.answer(path: "/operation", query: nil)
    var live = ""
    while !live.contains("\"work\":\"waiting for another writer") {
      live = await page(inspector, "/live")
      try #require(!Task.isCancelled)
      await Task.yield()
    }
    lock.release()
    #expect(await operation.status == 200)
    let after = await page(inspector, "/live")
    #expect(!after.contains("work"))
  }

  #if os(Linux)
    /// As many statements without an end run as there are processors, and one more: another page is answered, a client that goes
    /// away stops its statement, and all files are given back.
    @Test(.timeLimit(.minutes(5))) func aStatementKeepsNoPageWaitingAndEndsWithItsClient()
      async throws
    {
      let catalog = try await TestCatalog.imported()
      _ = await catalog.run("history", "make")
      let inspector = CatalogInspector(
        CatalogControl.program, CatalogDirectory(catalog.path), patience: .seconds(3_600))
      let path = try #require(realpath(catalog.path, nil))
      defer { free(path) }
      let folder = String(cString: path)
      /// How often this process has the history open.
      func openFiles() -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
          let place = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(name)")
          return place == folder + "/history.sqlite"
        }
      }
      let endless = Self.encoded(
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c")
      let count = ProcessInfo.processInfo.activeProcessorCount + 1
      let pages = (0..<count).map { _ in
        Task { await inspector.answer(path: "/sql", query: "sql=\(endless)") }
      }
      while openFiles() < count { try await Task.sleep(for: .milliseconds(1)) }
      _ = await page(inspector, "/operation")
      for page in pages { page.cancel() }
      for page in pages { #expect(await page.value.body.contains("was stopped")) }
      for sql in ["SELECT count(*) FROM mood", "SELECT titel FROM mood"] {
        _ = await page(inspector, "/sql", "sql=\(Self.encoded(sql))")
      }
      #expect(openFiles() == 0)
    }
  #endif

  /// The page says that the catalog is gone.
  @Test func theOtherCatalogMayBeMissing() async throws {
    let catalog = try await TestCatalog.imported()
    let inspector = CatalogInspector(
      CatalogControl.program, CatalogDirectory(catalog.path),
      beside: CatalogDirectory(catalog.path + "/nowhere"))
    let body = await page(inspector, "/truth")
    #expect(body.contains("id=\"divergence\">") && body.contains("nowhere"), "\(body)")
    #expect(body.contains("Compare all rows now"))
    let served = await catalog.run("serve", "--beside", catalog.path + "/nowhere")
    #expect(served.status == 1 && served.errors.contains("nowhere"), "\(served)")
  }

  @Test func wrongQuestionsSayWhatIsWrong() async throws {
    let catalog = try await TestCatalog.imported()
    let inspector = inspector(catalog.path)
    for (path, query, words) in [
      ("/sql", "at=last+monday", "is not a moment"), ("/sql", "at=99999999", "there is no event"),
      ("/answer", "from=5&to=2", "has no batch"),
      ("/row", "table=nothing", "there is no table"),
      ("/operation", "event=-1", "is not the number of an event"),
      ("/operation", "event=99999999", "has no event"), ("/events", "event=0", "there is no event"),
      ("/sql", "axis=x", "is not an axis"), ("/sql", "sql=%ff", "is not UTF-8"),
      ("/sql", "format=xml&sql=SELECT+1", "is not a format"),
      ("/truth", "other=x", "is not a moment"),
    ] {
      let body = await page(inspector, path, query, status: 400)
      #expect(body.contains(words), "\(path)?\(query)\n\(body)")
    }
    let missing = await page(inspector, "/../x", status: 404)
    #expect(missing.contains("There is no page"))
  }

  /// The page does not grow with the number of batches.
  @Test func aPlotHasAsManyColumnsHoweverManyBatchesThereAre() async throws {
    let catalog = try await TestCatalog.imported()
    let item = SampleSeed.id(201)
    for number in 0..<30 {
      _ = await InProcess.run(
        ["tag", "add", item, "--mood", "Mood \(number)", "--catalog", catalog.path])
    }
    for axis in ["batches", "events", "time"] {
      let body = await page(
        inspector(catalog.path), "/answer", "axis=\(axis)&sql=SELECT+count(*)+FROM+mood")
      let ends = try #require(body.firstMatch(of: /data-ends="([0-9,]+)"/)).output.1
        .split(separator: ",").compactMap { UInt64($0) }
      #expect(ends.count == 400 && ends == ends.sorted())
      #expect(ends.last.map { Int($0) } == (try await catalog.head().sequence))
    }
  }
}
