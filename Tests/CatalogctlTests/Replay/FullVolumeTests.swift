import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A catalog on a volume without free space is read, and no command reports a fault of it.
@Suite(
  .promise(
    "A catalog on a full volume is read, and the error of a change says plainly that there "
      + "is no room",
    by: "a real file system"))
struct FullVolumeTests {
  @Test(.enabled(if: MemoryVolume.isAvailable, "no file system can be mounted here"))
  func aCatalogIsReadAndNothingIsAppended() async throws {
    let sample = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let folder = try ScratchFolder()
    let volume = try MemoryVolume(at: folder.file("volume"), size: "16m")
    do {
      let path = folder.file("volume/catalog")
      try FileManager.default.copyItem(atPath: sample.path, toPath: path)
      try volume.fill()
      func run(_ words: String...) async throws -> Outcome {
        try await Program.catalogctl(words + ["--catalog", path])
      }
      let head = await sample.run("head")
      for outcome in [
        try await run("items", "music"), try await run("tag", "list"),
        try await run("query", "SELECT count(*) FROM mood"), try await run("verify", "--quick"),
        try await run("verify"), try await run("receipt"),
        try await run("materialize", "2", "--no-history", folder.file("then.sqlite")),
      ] {
        #expect(outcome.status == 0, "\(outcome)")
        #expect(!outcome.errors.contains("disk I/O error"), "\(outcome)")
        #expect(!"\(outcome)".contains("rebuild"), "\(outcome)")
      }
      let doctor = try await run("doctor")
      #expect(doctor.status == 2 && doctor.output.contains("the disk is full"), "\(doctor)")
      #expect(!"\(doctor)".contains("rebuild"), "\(doctor)")
      let refused = try await run("tag", "add", SampleSeed.id(101), "--mood", "Windy")
      #expect(refused.status == 1 && refused.errors.contains("space"), "\(refused)")
      #expect(try await run("head").output == head.output)

      try volume.empty()
      let added = try await run("tag", "add", SampleSeed.id(101), "--mood", "Windy")
      #expect(added.status == 0, "\(added)")
      let verified = try await run("verify")
      #expect(verified.status == 0, "\(verified)")
    } catch {
      Issue.record(error)
    }
    try volume.unmount()
  }
}
