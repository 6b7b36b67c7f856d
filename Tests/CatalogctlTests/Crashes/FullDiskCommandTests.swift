import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Commands on a file system in memory that has little room left, or none: each says so, and none ends by a signal. With
/// room again the catalog is whole.
@Suite(
  .promise(
    "Few open files, little memory or a full disk are errors that say so, in each command",
    by: "a file system in memory with little room"),
  .serialized, .enabled(if: ReadOnlyMount.works, "this machine does not let a process mount"))
struct FullDiskCommandTests {
  private static func commands(_ folder: String) -> [[String]] {
    [
      ["import", "\(folder)/seed.json"], ["rebuild"], ["items", "music"],
      ["tag", "add", SampleSeed.id(101), "--mood", "New"], ["seal"], ["history", "make"],
      ["doctor"], ["verify"], ["query", "--at", "5", "SELECT count(*) FROM library_item"],
      ["diff", "1", "live"], ["check"],
    ]
  }

  /// The database lacks events, and cannot get them: what reads replays the log, and what writes says what is wrong.
  @Test func aFullDiskIsReadAsReadOnlyMediaAre() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let folder = try ScratchFolder()
    let other = folder.file("other")
    try FileManager.default.copyItem(atPath: catalog.path, toPath: other)
    let item = SampleSeed.id(101)
    let tagged = await InProcess.run(["tag", "add", item, "--mood", "Later", "--catalog", other])
    try #require(tagged.status == 0, "\(tagged)")
    let volume = folder.file("volume")
    try FileManager.default.createDirectory(atPath: volume, withIntermediateDirectories: false)
    let script = """
      mount -t tmpfs -o size=1g none "$0" && cp -a "$1" "$0/catalog" || exit 99
      rm -rf "$0/catalog/events" && cp -a "$2/events" "$0/catalog" || exit 99
      mount -o remount,size=$(df --output=used -k "$0" | tail -1 | tr -d ' ')k "$0" || exit 99
      program=$3
      shift 3
      exec "$program" "$@" --catalog "$0/catalog"
      """
    func run(_ arguments: String...) async throws -> Outcome {
      try await Program.run(
        "unshare",
        ["-Urm", "/bin/bash", "-c", script, volume, catalog.path, other, Program.catalogctl]
          + arguments)
    }
    let shown = try await run("item", item)
    #expect(shown.status == 0 && shown.output.contains("Later"), "\(shown)")
    #expect(shown.errors.contains("the disk is full"), "\(shown)")
    let doctor = try await run("doctor")
    #expect(doctor.status == 2 && doctor.output.contains("the disk is full"), "\(doctor)")
    #expect(!doctor.output.contains("not a database"), "\(doctor)")
    let refused = try await run("tag", "add", item, "--mood", "New")
    #expect(refused.status == 1 && refused.errors.contains("free space"), "\(refused)")
    #expect(refused.errors.contains("nothing was appended"), "\(refused)")
  }

  /// - Parameter room: KiB that are left.
  @Test(arguments: [0, 4, 16, 36, 72, 128, 256, 512, 1_024, 8_192])
  func noCommandEndsByASignal(room: Int) async throws {
    // The history of the shared one has a write-ahead log while another test asks it.
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try #require(await catalog.run("history", "make").status == 0)
    let folder = try ScratchFolder()
    try folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let volume = folder.file("volume")
    try FileManager.default.createDirectory(atPath: volume, withIntermediateDirectories: false)
    // Temporary files, too, are made on that volume.
    let script = """
      mount -t tmpfs -o size=1g none "$0" && cp -a "$1" "$0/catalog" || exit 99
      used=$(df --output=used -k "$0" | tail -1)
      mount -o remount,size=$((used + $2))k "$0" || exit 99
      program=$3
      shift 3
      TMPDIR="$0" "$program" "$@" --catalog "$0/catalog"
      status=$?
      mount -o remount,size=1g "$0"
      "$program" verify --catalog "$0/catalog" >/dev/null || exit 98
      exit $status
      """
    let commands = Self.commands(folder.path)
    for command in Sample.of(commands, atMost: 2, "FullDiskCommandTests \(room)") {
      let run = try await Program.run(
        "unshare",
        ["-Urm", "/bin/bash", "-c", script, volume, catalog.path, "\(room)", Program.catalogctl]
          + command)
      let what: Comment = "\(room) KiB, \(command): \(run)"
      #expect([0, 1, 2].contains(run.status), what)
      guard run.status == 1 else { continue }
      let words = ["No space left on device", "disk is full", "free space"]
      #expect(words.contains { run.errors.contains($0) }, what)
    }
  }
}
