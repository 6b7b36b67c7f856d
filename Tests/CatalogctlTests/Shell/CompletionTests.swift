import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Completions as the shells themselves work them out.
@Suite(
  .promise(
    "Completions are what bash, zsh and fish expand; no name of a tag is ever run",
    by: "in the shells themselves, zsh and fish over a pseudo-terminal"))
struct CompletionTests {
  private static let scripts = Task {
    let folder = try ScratchFolder()
    let made = try await Program.run(
      "\(Program.package)/Tools/make-completions", [Program.catalogctl, folder.path])
    try #require(made.status == 0, "\(made)")
    return folder
  }

  private static func has(_ shell: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)") }
  }

  private static let hasZsh = has("zsh")
  private static let hasFish = has("fish")

  /// The program's folder is first on the search path, as where it is installed.
  private static var environment: [String: String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folder = URL(filePath: Program.catalogctl).deletingLastPathComponent().path
    return ["PATH": "\(folder):\(path)", "CATALOG_HOME": "/nowhere"]
  }

  /// What bash offers for the last word, in a folder with a seed, a text, and a folder.
  private func bash(_ words: String...) async throws -> [String] { try await bash(words) }

  /// - Parameter home: the catalog at hand.
  private func bash(_ words: [String], home: String = "/nowhere") async throws -> [String] {
    try #require(try await bash(lines: [words], home: home).first)
  }

  /// The words that bash offers at the ends of lines that are typed one after the other.
  private func bash(lines: [[String]], home: String = "/nowhere") async throws -> [[String]] {
    let scripts = try await Self.scripts.value
    let folder = try ScratchFolder()
    try folder.write("{}", to: "seed.json")
    try folder.write("", to: "notes.txt")
    try FileManager.default.createDirectory(
      atPath: folder.file("seeds"), withIntermediateDirectories: false)
    let script = """
      cd \(folder.path)
      source \(scripts.path)/bash-completion/completions/catalogctl
      complete -p catalogctl >/dev/null || exit 9
      function=$(complete -p catalogctl | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
      while (($#)); do
        COMP_WORDS=("${@:2:$1}") COMP_CWORD=$(($1 - 1)) COMP_LINE="${*:2:$1}" COMPREPLY=()
        COMP_POINT=${#COMP_LINE}
        "$function" catalogctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        [ ! -e pwned ] || echo a name was run
        [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
        echo "end of $1 words"
        shift $(($1 + 1))
      done
      """
    let outcome = try await Program.run(
      "/bin/bash", ["-c", script, "bash"] + lines.flatMap { ["\($0.count)"] + $0 },
      environment: Self.environment.merging(["CATALOG_HOME": home]) { $1 })
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(lines): \(outcome)")
    var offered: [[String]] = [[]]
    for line in outcome.lines {
      if offered.count <= lines.count, line == "end of \(lines[offered.count - 1].count) words" {
        offered.append([])
      } else {
        offered[offered.count - 1].append(line)
      }
    }
    try #require(offered.count == lines.count + 1 && offered.last == [], "\(outcome)")
    return offered.dropLast().map { $0.sorted() }
  }

  /// Also if a shell is not installed.
  @Test(arguments: ["bash", "zsh", "fish"])
  func theScriptAsksForTheCommandsOfTheCatalog(shell: String) async {
    let script = await InProcess.run(["--generate-completion-script", shell])
    #expect(
      script.status == 0 && script.output.components(separatedBy: "help --names").count == 2)
    let other = await InProcess.run(["--generate-completion-script", "csh"])
    #expect(other.status == 64, "\(other)")
  }

  @Test func bashOffersCommandsAndNoneThatIsHidden() async throws {
    let root = try await CommandTree.root.value
    let offered = try await bash("catalogctl", "")
    #expect(Set(root.shown.map(\.commandName)).isSubset(of: offered))
    #expect(!offered.contains("replay"))
    #expect(
      try await bash("catalogctl", "re") == [
        "rebuild", "receipt", "record", "repair", "report", "revert",
      ])
    for group in root.shown where !group.shown.isEmpty {
      let offered = try await bash("catalogctl", group.commandName, "")
      #expect(Set(group.shown.map(\.commandName)).isSubset(of: offered))
    }
  }

  @Test func bashOffersTheCommandsOfTheCatalogAtHand() async throws {
    let sounds = try await SharedCatalogs.sample.value.path
    #expect(try await bash(["catalogctl", "sho"], home: sounds) == ["show"])
    #expect(try await bash("catalogctl", "sho") == ["show", "shows"])
    let tracks = try TestCatalog()
    #expect(await tracks.run("init", "--kind", "track-library").status == 0)
    let offered = try await bash(["catalogctl", ""], home: tracks.path)
    #expect(Set(["tracks", "log", "help"]).isSubset(of: offered))
    #expect(Set(["items", "shows", "packs", "capture"]).isDisjoint(with: offered))
    // A group has all its commands, of whatever kind it is.
    #expect(try await bash(["catalogctl", "shows", "sho"], home: tracks.path) == ["show"])
    // A damaged catalog is none that could be asked.
    try FileManager.default.removeItem(atPath: tracks.database)
    for name in try FileManager.default.contentsOfDirectory(atPath: tracks.events)
    where name.hasSuffix(".zst") {
      try Data("no segment".utf8).write(to: URL(filePath: "\(tracks.events)/\(name)"))
    }
    #expect(try await bash(["catalogctl", "sho"], home: tracks.path) == ["show", "shows"])
  }

  @Test func bashOffersEveryOptionOfEveryCommand() async throws {
    let commands = try await CommandTree.root.value.leaves
    let lines = commands.map { ["catalogctl"] + $0.words + ["--"] }
    for (command, script) in zip(commands, try await bash(lines: lines)) {
      let options = (command.arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
        .filter { $0.kind == "long" }.map { "--\($0.name)" }
      #expect(Set(options) == Set(script), "\(command.words)")
    }
  }

  @Test func bashOffersFilesFoldersAndValues() async throws {
    let expected: [([String], [String])] = [
      (["import", "s"], ["seed.json", "seeds"]), (["import", "n"], []),
      (["manifest", "apply", ""], ["seed.json", "seeds"]),
      (["download", "--manifest", "s"], ["seed.json", "seeds"]),
      (["diff", "1", "n"], ["notes.txt"]), (["materialize", "3", "n"], ["notes.txt"]),
      (["rebuild", "--out", "n"], ["notes.txt"]), (["rebuild", "--keep-old", "n"], ["notes.txt"]),
      (["head", "--catalog", ""], ["seeds"]), (["log", "--events", ""], ["seeds"]),
      (["head", "--format", ""], ["csv", "json", "jsonl", "text"]),
      (["items", "a"], ["atmosphere"]), (["items", "sfx", "--sort", "d"], ["duration"]),
      (["facets", "sfx", "--mode", "d"], ["disjunctive"]),
      (["items", "sfx", "--availability", "n"], ["notDownloaded"]),
      (["tag", "rename", "mo"], ["moods"]), (["tag", "list", "sfx"], ["sfxThemes"]),
      (["log", "--type", "pack.u"], ["pack.upserted"]),
      // A moment can be anything, and a number too.
      (["query", "--at", ""], []), (["materialize", "--no-history", ""], []),
      (["blame", "--at", ""], []), (["bisect", "--good", ""], []), (["log", "--limit", ""], []),
      (["log", "--since", ""], []),
    ]
    let offered = try await bash(lines: expected.map { ["catalogctl"] + $0.0 })
    for ((words, wanted), found) in zip(expected, offered) { #expect(found == wanted, "\(words)") }
    #expect(try await bash("catalogctl", "blame", "item_m").contains("item_mood"))
  }

  @Test func bashOffersIDsAndNamesOfTheCatalogOnTheLine() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let path = catalog.path
    #expect(try await bash("catalogctl", "item", "--catalog", path, "9").isEmpty)
    #expect(
      try await bash("catalogctl", "item", "--catalog", path, "00000000-0000-4000-8000-0000000002")
        == SampleSeed.sfx.map(SampleSeed.id))
    // As bash takes `--catalog=PATH` apart.
    #expect(
      try await bash("catalogctl", "download", "--catalog", "=", path, "0")
        == [SampleSeed.atmospherePack, SampleSeed.sfxPack])
    for command in ["download", "repair", "cancel", "delete"] {
      #expect(try await bash("catalogctl", command, "--catalog", path, "0").count == 2)
    }
    #expect(
      try await bash("catalogctl", "items", "sfx", "--catalog", path, "--not-mood", "O")
        == ["Ominous"])
    #expect(
      try await bash("catalogctl", "items", "sfx", "--catalog", path, "--theme", "").count == 3)
    #expect(
      try await bash("catalogctl", "tag", "merge", "--catalog", path, "locations", "")
        == ["Arctic", "Forest"])
    #expect(
      try await bash("catalogctl", "tag", "merge", "--catalog", path, "moods", "Cozy", "")
        == ["Cozy", "Ominous"])
    #expect(
      try await bash("catalogctl", "changes", "--catalog", path, "--table", "item_s").contains(
        "item_sfx_theme"))
    #expect(
      try await bash(
        "catalogctl", "blame", "--catalog", path, "library_item", "x", "--column", "dur")
        == ["duration"])
    #expect(
      try await bash("catalogctl", "rows", "--catalog", path, "pack", "--columns", "id,tit")
        == ["id,title"])
    let ids = try await bash("catalogctl", "blame", "--catalog", path, "library_item", "")
    #expect(Set(SampleSeed.sfx.map(SampleSeed.id)).isSubset(of: ids))
    #expect(
      try await bash("catalogctl", "history", "row", "--catalog", path, "library_item", ids[0])
        == [ids[0]])
    // Several columns are the key: nothing is offered.
    #expect(
      try await bash("catalogctl", "blame", "--catalog", path, "item_mood", "").isEmpty)
    // Without a table: those of all tables.
    #expect(
      try await bash("catalogctl", "revert", "--catalog", path, "--column", "titl")
        == ["title"])
    // No catalog: nothing, and no word of it.
    #expect(try await bash("catalogctl", "item", "--catalog", "/nowhere", "").isEmpty)
  }

  @Test func bashOffersTheNamesOfADescription() async throws {
    let catalog = try TestCatalog()
    let kind = try catalog.folder.write(
      """
      {"kind": "shop", "tables": {"goods": {"key": "sku", "columns": {"sku": "text", "price": "number?"}},
         "tags": {"key": ["sku", "tag"], "columns": {"sku": "text", "tag": "text"}}},
       "documents": {"nightly": {"rows": {"goods": {}}}},
       "events": {"goods.sold": {"data": {"sku": "text", "pieces": "integer"},
         "does": [{"set": "goods", "key": ["$sku"], "to": {"price": "$pieces"}}]}}}
      """, to: "kind.json")
    let path = catalog.path
    #expect(await catalog.run("init", "--describe", kind).status == 0)
    let expected: [([String], [String])] = [
      (["rows", "goods", "p"], ["price="]), (["rows", "goods", "price", "=", "3", "s"], ["sku="]),
      (["rows", "tags", ""], ["sku=", "tag="]), (["record", "g"], ["goods.sold"]),
      (["record", "goods.sold", ""], ["pieces=", "sku="]),
      (["record", "goods.sold", "sku", "=", "x", ""], ["pieces="]),
      (["kind", "change", "--drop", "goods"], ["goods", "goods.price"]),
      (["log", "--type", "goods"], ["goods.sold"]),
      (["blame", "g"], ["goods"]), (["blame", "item"], []),
    ]
    let lines = expected.map { words, _ in
      let command = words[0] == "kind" ? 2 : 1
      return ["catalogctl"] + words.prefix(command) + ["--catalog", path] + words.dropFirst(command)
    }
    for ((words, wanted), found) in zip(expected, try await bash(lines: lines)) {
      #expect(found == wanted, "\(words)")
    }
  }

  /// Names that a shell could take for something to run or to take apart.
  private static let names = [
    "$(touch pwned)", "`touch pwned`", "A b, c & d; e", "C: the colon", "D\"'q\\uote", "{e,f}",
  ]

  private func catalogOfNames() async throws -> TestCatalog {
    let catalog = try await TestCatalog.imported()
    for name in Self.names {
      let added = await catalog.run("tag", "add", SampleSeed.id(201), "--mood=\(name)")
      try #require(added.status == 0, "\(added)")
    }
    return catalog
  }

  @Test func aNameIsNeverRunByBash() async throws {
    let catalog = try await catalogOfNames()
    let offered = try await bash("catalogctl", "items", "--catalog", catalog.path, "--mood", "")
    #expect(Set(offered) == Set(Self.names + ["Cozy", "Ominous"]))
  }

  @Test(.enabled(if: hasFish, "there is no fish here: apt-get install fish"))
  func fishOffersTheSame() async throws {
    let scripts = try await Self.scripts.value
    let file = "\(scripts.path)/fish/vendor_completions.d/catalogctl.fish"
    #expect(try await Program.run("fish", ["-n", file]).status == 0)
    func fish(_ line: String, home: String = "/nowhere") async throws -> [String] {
      let outcome = try await Program.run(
        "fish", ["-c", "source \(file); complete -C \"\(line)\""],
        environment: Self.environment.merging(["HOME": scripts.path, "CATALOG_HOME": home]) { $1 })
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(line): \(outcome)")
      return outcome.lines.map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(
      try await fish("catalogctl re") == [
        "rebuild", "receipt", "record", "repair", "report", "revert",
      ])
    #expect(try await fish("catalogctl sho") == ["show", "shows"])
    let sounds = try await SharedCatalogs.sample.value.path
    #expect(try await fish("catalogctl sho", home: sounds) == ["show"])
    #expect(try await fish("catalogctl tag re") == ["remove", "rename"])
    #expect(try await fish("catalogctl items --format j") == ["json", "jsonl"])
    #expect(try await fish("catalogctl items a") == ["atmosphere"])
    #expect(try await fish("catalogctl import \(Program.package)/Seeds/st").count == 1)
  }

  /// Ids and names come only where a person types.
  @Test(.enabled(if: hasFish, "there is no fish here: apt-get install fish"))
  func fishOffersNamesOfTheCatalog() async throws {
    let scripts = try await Self.scripts.value
    let catalog = try await catalogOfNames()
    let environment = Self.environment.merging([
      "HOME": scripts.path, "CATALOG_HOME": catalog.path,
    ]) { $1 }
    let file = "\(scripts.path)/fish/vendor_completions.d/catalogctl.fish"
    let shown = try await Terminal.run(
      "fish",
      [
        "--no-config", "--init-command", "source \(file)", "--init-command",
        "function fish_prompt; echo 'ready> '; end",
      ], environment: environment,
      typed: [
        .init("catalogctl items sfx --mood 'C: '\u{2}\t", after: "ready>"),
        .init("\u{15}exit\r", after: "'C: the colon'", "C:\\ the"),
      ])
    #expect(
      shown.output.contains("'C: the colon'") || shown.output.contains("C:\\ the"), "\(shown)")
  }

  @Test(.enabled(if: hasZsh, "there is no zsh here: apt-get install zsh"))
  func zshTakesTheScript() async throws {
    let scripts = try await Self.scripts.value
    let folder = "\(scripts.path)/zsh/site-functions"
    #expect(try await Program.run("zsh", ["-n", "\(folder)/_catalogctl"]).status == 0)
    let loaded = try await Program.run(
      "zsh",
      [
        "-fc",
        "fpath=(\(folder) $fpath); autoload -U compinit; compinit -uD; echo $_comps[catalogctl]",
      ])
    #expect(loaded.output == "_catalogctl\n", "\(loaded)")
  }

  @Test(.enabled(if: hasZsh, "there is no zsh here: apt-get install zsh"))
  func zshOffersCommandsAndNamesOfTheCatalog() async throws {
    let scripts = try await Self.scripts.value
    let catalog = try await catalogOfNames()
    let environment = Self.environment.merging([
      "HOME": catalog.folder.path, "CATALOG_HOME": catalog.path,
    ]) { $1 }
    let names = [#"A\ b,\ c\ \&\ d\;\ e"#, #"\$\(touch\ pwned\)"#]
    let folder = "\(scripts.path)/zsh/site-functions"
    let load = "cd; fpath=(\(folder) $fpath); autoload -U compinit; compinit -uD"
    let shown = try await Terminal.run(
      "zsh", ["-f"], environment: environment,
      typed: [
        // It takes keys from then on, and says so to the terminal.
        .init("\(load); print loaded-$((1 + 1))\r", after: "\u{1B}[?2004h"),
        .init("", after: "loaded-2"),
        .init("catalogctl rep\t", after: "\u{1B}[?2004h"),
        // One alone is completed whole: a sound library has no `shows`.
        .init("\u{15}catalogctl sho\t--here", after: "repair"),
        .init("\u{15}catalogctl items sfx --mood A\t", after: " --here"),
        .init("\u{15}catalogctl items sfx --mood \\$\t", after: names[0]),
        .init("\u{15}exit\r", after: names[1]),
      ])
    for text in ["repair"] + names { #expect(shown.output.contains(text), "\(shown)") }
    #expect(!catalog.folder.exists("pwned"))
  }
}
