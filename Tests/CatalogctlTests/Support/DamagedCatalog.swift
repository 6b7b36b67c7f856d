import CatalogTestSupport
import EventLog
import Foundation
import Testing

/// A catalog with several batches behind its import, one of which is damaged.
struct DamagedCatalog {
  let catalog: TestCatalog
  /// What `log` printed before the damage, an event a line.
  let lines: [String]
  /// The receipt behind the import.
  let receipt: String
  /// The last event of the import.
  let imported: Int

  /// - Parameter index: of the batch, counted from 0.
  init(damaging index: Int) async throws {
    catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    imported = try await catalog.head().sequence
    receipt = try catalog.folder.write(await catalog.receipt(), to: "receipt.json")
    // Of each batch the first event adds the value, the second gives it to the item.
    for mood in ["One", "Two", "Three"] {
      let added = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", mood)
      try #require(added.status == 0, "\(added)")
    }
    for name in ["Ice", "Wood"] {
      let renamed = await catalog.run(
        "tag", "rename", "locations", name == "Ice" ? "Arctic" : "Forest", name)
      try #require(renamed.status == 0, "\(renamed)")
    }
    lines = try await Self.lines(of: catalog.path)
    let cursor = try EventLogReader(directory: catalog.events).cursor()
    var batches: [BatchInfo] = []
    while let batch = try cursor.nextBatch() { batches.append(batch) }
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: catalog.firstSegment)))
    bytes[Int(batches[index].offset + (batches[index].storedLength ?? 0)) - 3] ^= 1
    try Data(bytes).write(to: URL(filePath: catalog.firstSegment))
  }

  static func lines(of catalog: String) async throws -> [String] {
    let log = await InProcess.run(["log", "--format", "json", "--catalog", catalog])
    try #require(log.status == 0, "\(log)")
    return log.lines
  }

  /// Bytes and times of change of the whole catalog.
  func snapshot() throws -> [String: [UInt8]] {
    var contents = try ScratchFolder.contents(catalog.path)
    for name in contents.keys + ["."] {
      let attributes = try FileManager.default.attributesOfItem(atPath: catalog.path + "/" + name)
      let time = try #require(attributes[.modificationDate] as? Date)
      contents["time of \(name)"] = Array("\(time.timeIntervalSince1970)".utf8)
    }
    return contents
  }
}
