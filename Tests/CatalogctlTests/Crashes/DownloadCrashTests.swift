import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Promises
import Testing

/// `kill -9` in every phase of a download, on entry to a system call that is chosen through `strace`.
///
/// Afterwards every installed file has its hash, nothing outside the catalog's folder was touched, and a
/// repair brings the pack without fetching again what was there.
@Suite(
  .promise(
    "A download survives a kill at any moment; what was fetched is not fetched again",
    by: "kills by strace in every phase, over 200 with `TEST_ALL=1`"),
  .serialized, .enabled(if: Strace.works, "strace cannot trace a process here"))
struct DownloadCrashTests {
  /// What a download begins with.
  private enum Before: Sendable {
    /// The pack is in the catalog, nothing more.
    case nothing
    /// Its manifest was applied.
    case manifest
    /// An earlier attempt left whole files and parts.
    case parts
    /// An older version is installed.
    case older
  }

  /// A call that names a path; strace counts the calls of each thread by itself.
  private struct Moment: Sendable, CustomStringConvertible {
    let phase: String
    let before: Before
    let call: String
    /// Below the catalog's folder; nil for calls of whatever path.
    let path: String?
    let number: Int

    var description: String { "\(phase): \(call) \(number) of \(path ?? "any")" }
  }

  private static let assets = 12
  private let server: FolderServer
  private let old: ServedPack
  private let pack: ServedPack
  private let states: [Before: TestCatalog]

  init() async throws {
    let server = try FolderServer()
    var old = ServedPack(sizes: (0..<Self.assets).map { 60_000 + 9_001 * $0 })
    var pack = old
    pack.version = 2
    // Half of the assets are new.
    let others = ServedPack(2, sizes: (0..<Self.assets).map { 50_000 + 10_007 * $0 })
    for index in stride(from: 0, to: Self.assets, by: 2) {
      pack.assets[index].bytes = others.assets[index].bytes
      pack.assets[index].sha256 = others.assets[index].sha256
      pack.assets[index].name = others.assets[index].name
    }
    old.tags = ["moods": ["Old"]]
    try old.write(to: server.folder, at: server.address)

    let nothing = try TestCatalog()
    let seed = try nothing.folder.write(
      ServedPack.seed([old], at: server.address), to: "seed.json")
    #expect(await nothing.run("import", seed).status == 0)
    let older = try nothing.copy()
    #expect(await older.run("download", old.id).status == 0)

    try pack.write(to: server.folder, at: server.address)
    let manifest = try nothing.copy()
    #expect(
      await manifest.run("manifest", "apply", "\(server.folder)/\(pack.manifestName)").status == 0)

    // A download that failed when some assets were there whole, and others in part.
    let parts = try manifest.copy()
    for asset in pack.assets[4...] {
      try FileManager.default.removeItem(atPath: "\(server.folder)/\(asset.name)")
    }
    #expect(await parts.run("download", pack.id).status == 1)
    try pack.write(to: server.folder, at: server.address)
    let staging = "\(parts.path)/.staging/\(pack.id)"
    try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: true)
    let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    for (index, asset) in pack.assets.enumerated() {
      let file = "\(staging)/\(asset.id).wav"
      if index < 4 {
        try Data(asset.bytes).write(to: URL(filePath: file))
      } else if index < 8 {
        try Data(asset.bytes.prefix(30_000)).write(to: URL(filePath: file + ".part"))
        try Data(#"{"offset":0,"boot":"\#(boot)"}"#.utf8)
          .write(to: URL(filePath: file + ".part.json"))
      }
    }
    self.server = server
    self.old = old
    self.pack = pack
    states = [.nothing: nothing, .manifest: manifest, .parts: parts, .older: older]
  }

  private var moments: [Moment] {
    let staging = ".staging/\(pack.id)"
    let audio = "AudioAssets/\(pack.id)"
    let log = "events/00000000000000000001.jsonl.zst"
    var moments: [Moment] = []
    func add(
      _ phase: String, _ before: Before, _ call: String, _ path: String?,
      _ numbers: ClosedRange<Int> = 1...1
    ) {
      moments += numbers.map {
        Moment(phase: phase, before: before, call: call, path: path, number: $0)
      }
    }
    for before in [Before.nothing, .older] {
      add("manifest", before, "connect", nil, 1...2)
      add("manifest", before, "openat", ".staging", 1...3)
      add("manifest", before, "pwrite64", log)
      add("manifest", before, "fdatasync", log)
      add("manifest", before, "pwrite64", "catalog.sqlite-wal", 1...8)
    }
    for index in 0..<Self.assets {
      let part = "\(staging)/\(pack.assets[index].id).wav.part"
      add("body", .manifest, "pwrite64", part, 1...2)
      add("body", .manifest, "ftruncate", part)
      if index.isMultiple(of: 2) {
        add("body", .older, "pwrite64", part)
        add("fsync", .older, "fsync", part)
      }
      add("body", .nothing, "pwrite64", part)
      if index >= 4 { add("body", .parts, "pwrite64", part) }
      add("fsync", .manifest, "fsync", part)
      if index >= 4 { add("fsync", .parts, "fsync", part) }
    }
    for index in 0..<8 {
      let name = "\(staging)/\(pack.assets[index].id).wav" + (index < 4 ? "" : ".part")
      add("hash", .parts, "pread64", name)
    }
    for index in stride(from: 1, to: Self.assets, by: 2) {
      add("hash", .older, "pread64", "\(audio)/\(pack.assets[index].id).wav")
    }
    for before in [Before.nothing, .manifest, .parts, .older] {
      add("commit", before, "fsync", staging)
      add("commit", before, "pwrite64", log, 1...(before == .parts ? 1 : 2))
      add("commit", before, "fdatasync", log, 1...3)
      add("commit", before, "pwrite64", "catalog.sqlite-wal", 2...7)
      add("moves", before, "renameat", audio, 1...6)
      add("moves", before, "fsync", audio, 1...2)
      add("moves", before, "fsync", "AudioAssets")
      add("moves", before, "unlinkat", ".staging", 1...2)
    }
    add("moves", .manifest, "renameat", audio, 7...12)
    add("moves", .parts, "renameat", audio, 7...12)
    return moments
  }

  @Test func aDownloadSurvivesAKillAtAnyMoment() async throws {
    // A run does not always come to its moment: strace counts the calls of each thread by itself, and how many writes a body
    // takes depends on how it arrives. So the test tries further moments of a phase until enough runs were killed: a
    // twentieth of them, and 4 at least.
    var random = SeededGenerator("DownloadCrashTests")
    for (phase, all) in Dictionary(grouping: moments, by: \.phase).sorted(by: { $0.key < $1.key }) {
      let tried = Sample.isWhole ? all : all.shuffled(using: &random)
      let wanted = Sample.isWhole ? all.count * 8 / 10 : max(4, all.count / 20)
      let killed = try await withThrowingTaskGroup(of: Bool.self) { group in
        var (killed, running) = (0, 0)
        for (index, moment) in tried.enumerated() {
          while running == 2 || !Sample.isWhole && running > 0 && killed + running >= wanted {
            if try await group.next() == true { killed += 1 }
            running -= 1
          }
          if !Sample.isWhole, killed == wanted { break }
          group.addTask { try await survive(moment, verifies: index.isMultiple(of: 10)) }
          running += 1
        }
        for try await isKilled in group where isKilled { killed += 1 }
        return killed
      }
      print("DownloadCrashTests: \(phase): \(killed) killed, of \(all.count)")
      #expect(killed >= wanted, "\(phase)")
    }
  }

  /// - Returns: whether the run was killed; some calls are made by another thread than in the run before.
  private func survive(_ moment: Moment, verifies: Bool) async throws -> Bool {
    let catalog = try #require(states[moment.before]).copy()
    let note = Comment(rawValue: "\(moment)")
    var arguments = ["-f", "-o", "/dev/null", "-e", "trace=\(moment.call)"]
    if let path = moment.path { arguments += ["-P", "\(catalog.path)/\(path)"] }
    arguments += ["-e", "inject=\(moment.call):signal=SIGKILL:when=\(moment.number)"]
    arguments += [Program.catalogctl, "download", pack.id, "--catalog", catalog.path]
    let run = try await Program.run("strace", arguments)
    let isKilled = run.status != 0

    // What the process left: whole files of either version, and parts.
    let there = try bytesThere(catalog)
    // Whoever reads leaves it so.
    #expect(await catalog.run("packs").status == 0, note)
    #expect(try bytesThere(catalog) == there, note)
    let state = try await catalog.query("SELECT state FROM pack_state")

    let repair = await catalog.run(
      state == "not_downloaded" ? "download" : "repair", pack.id, "--format", "json")
    #expect(repair.status == 0, "\(moment): \(repair)")
    var received = 0
    if let result = try repair.objects().first { received = result["bytesReceived"] as? Int ?? 0 }
    let installed = try await catalog.query("SELECT ifnull(installed_version, 0) FROM pack_state")
    if installed == "1" {
      // Killed before the download had begun: the old version is whole, there is nothing to repair.
      let update = await catalog.run("download", pack.id, "--format", "json")
      #expect(update.status == 0, "\(moment): \(update)")
      received += try update.objects().first?["bytesReceived"] as? Int ?? 0
    }
    #expect(
      try await catalog.query("SELECT state || installed_version FROM pack_state")
        == "downloaded2", note)
    let missing = pack.totalBytes - there
    #expect(received <= missing, "\(moment): after \(state), \(there) there")
    try await expectRight(catalog, note)
    let files = try ScratchFolder.contents("\(catalog.path)/AudioAssets/\(pack.id)")
    #expect(files.count == pack.assets.count, note)
    #expect(
      !FileManager.default.fileExists(atPath: "\(catalog.path)/.staging/\(pack.id)"), note)
    let doctor = await catalog.run("doctor", "--hash")
    #expect(doctor.status == 0, "\(moment): \(doctor)")
    // Nothing but the catalog's folder.
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: catalog.folder.path))
        == ["catalog"], note)
    if verifies {
      let verified = try await catalog.program("verify")
      #expect(verified.status == 0, "\(moment): \(verified)")
    }
    return isKilled
  }

  /// How many bytes of the new version lie in the catalog's folder.
  private func bytesThere(_ catalog: TestCatalog) throws -> Int {
    let files = try ScratchFolder.contents(catalog.path)
    return pack.assets.reduce(0) { sum, asset in
      let name = "\(pack.id)/\(asset.id).wav"
      if files["AudioAssets/\(name)"] == asset.bytes || files[".staging/\(name)"] == asset.bytes {
        return sum + asset.bytes.count
      }
      // A part counts from the moment on when there is a note of it.
      guard files[".staging/\(name).part.json"]?.isEmpty == false else { return sum }
      return sum + (files[".staging/\(name).part"]?.count ?? 0)
    }
  }

  /// Every installed file that a row names is there with the hash of the row.
  private func expectRight(_ catalog: TestCatalog, _ note: Comment) async throws {
    let rows = try await catalog.query("SELECT local_path, sha256 FROM local_asset")
    for row in rows.split(separator: "\n") {
      let parts = row.split(separator: "|")
      let path = "\(catalog.path)/\(parts[0])"
      guard let bytes = try? Data(contentsOf: URL(filePath: path)) else {
        Issue.record("\(parts[0]) is gone: \(note)")
        continue
      }
      #expect(ServedPack.hash(Array(bytes)) == parts[1], note)
    }
  }
}
