import ArgumentParser
import CatalogEngine
import CatalogModel
import PostgresLog
import Projections

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Examine the log, the database and other files, and say what to do.",
    discussion: """
      The command to run first when something is wrong. Reads the log and all rows, and changes nothing. \
      Rows are compared with the running digests that every change updates; tables, indexes and triggers \
      with those that the projector creates; full-text indexes with the words of their tables; SQLite checks \
      every index against its table. Of a log that several machines share it prints how the server keeps it. Only `verify`, which compares everything with replays of the log, finds \
      rows that were changed together with their digests. Exit status 2 if something needs repair, 3 if the \
      log is damaged or lacks events that the database has applied.
      """.examples(
        "\(ProgramName.current) doctor",
        "\(ProgramName.current) doctor --hash",
        "\(ProgramName.current) doctor --format github"))

  @OptionGroup var location: CatalogLocation

  @Option(name: .long, help: "Output format; github: annotations of a GitHub workflow.")
  var format: FindingsFormat = .text

  @Flag(
    name: .long,
    help: "Compare the SHA-256 of every file that the catalog keeps, not only its length.")
  var hash = false

  func run() async throws { try await format.annotating("Catalog", examine) }

  private func examine() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let directory = try location.directory
    let kind = try KnownKinds.current.kind(of: directory)
    let doctor = CatalogDoctor(directory, of: kind, progress: progress.observer)
    let isHashing = hash
    let findings = try await Blocking.run { try doctor.findings(hashing: isHashing) }
    progress.finish()
    if format == .github {
      for finding in findings { console.write(Self.annotation(finding).line) }
      let isHealthy = findings.allSatisfy(\.isNote)
      console.write(
        Annotation(isHealthy ? .notice : .error, title: "Catalog", Self.count(findings)).line)
    } else {
      try console.write(format.plain, json: findings.map(\.json)) { console in
        for finding in findings {
          console.write("\(finding.problem.rawValue)  \(Self.line(finding))")
          for detail in finding.details { console.write("  \(detail)") }
          console.write("  \(finding.remedy)")
        }
        let isReached = !findings.contains { $0.problem == .unreachable }
        if isReached, let server = try server(of: directory) { console.error(server) }
        console.error(Self.count(findings))
      }
    }
    if findings.contains(where: \.isDamage) { throw Exit(status: .damaged) }
    if !findings.allSatisfy(\.isNote) { throw Exit(status: .findings) }
  }

  private static func line(_ finding: CatalogFinding) -> String {
    "\(finding.path ?? finding.subject?.id ?? ""): \(finding.message)"
  }

  private static func annotation(_ finding: CatalogFinding) -> Annotation {
    Annotation(
      finding.isNote ? .notice : .error, title: "Catalog \(finding.problem.rawValue)",
      ([line(finding)] + finding.details + ["\(finding.remedy)"]).joined(separator: "; "))
  }

  private static func count(_ findings: [CatalogFinding]) -> String {
    let notes = findings.count(where: \.isNote)
    return Count.of(findings.count - notes, "finding")
      + (notes > 0 ? ", \(Count.of(notes, "note"))" : "")
  }

  private static func words(_ durability: LogDurability) -> String {
    switch durability {
    case .memory: "nothing: it is in memory"
    case .process: "the end of a program"
    case .machine: "a loss of power"
    case .zone: "the loss of a machine"
    }
  }

  /// Says how the server keeps a log that several machines share; nil if the log is in the folder.
  private func server(of directory: CatalogDirectory) throws -> String? {
    guard let address = try directory.logAddress() else { return nil }
    guard let server = address.postgres else {
      let words = Self.words(try address.store().durability())
      return "\(address): an acknowledged batch survives \(words)"
    }
    let settings = try PostgresStore.settings(at: server)
    func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    let parts = [
      settings.isStandby ? "a standby" : "a primary", "fsync \(word(settings.syncsFiles))",
      "full_page_writes \(word(settings.writesFullPages))",
      "synchronous_commit \(settings.synchronousCommit)",
      "checksums \(word(settings.hasChecksums))",
      settings.synchronousStandbys.isEmpty
        ? "no synchronous standby: the loss of its disk loses the log"
        : "synchronous standbys \(settings.synchronousStandbys)",
    ]
    return "\(address): " + parts.joined(separator: ", ")
  }
}

extension CatalogFinding {
  fileprivate var json: JSONObject {
    // The key of its subject is the kind's.
    let about: JSONObject = subject.map { [$0.key: $0.id] } ?? [:]
    return ["area": area.name, "problem": problem.rawValue] + about
      + [
        "path": path, "message": message.description,
        "details": details.isEmpty ? nil : details, "remedy": remedy.description,
      ]
  }
}
