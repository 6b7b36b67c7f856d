import Foundation
import SoundLibrary

/// A log in a folder of objects, one for each batch, each made only if it is absent: what a service of objects is to an
/// application. `ObjectsCommand` uses it, and docs/SHARED_LOG.md has it as an example.
struct ObjectStore: BatchStore {
  let place: String
  private let folder: URL

  /// - Parameter address: `objects:///folder#name`.
  init(_ address: String) throws {
    place = address
    guard let url = URL(string: address), let name = url.fragment(percentEncoded: false) else {
      throw StoreRefusal("an address of objects is objects:///folder#name")
    }
    folder = URL(filePath: url.path(percentEncoded: false)).appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.sync(folder.deletingLastPathComponent())
  }

  /// Makes the names in a folder durable.
  private static func sync(_ folder: URL) throws {
    let names = try FileHandle(forReadingFrom: folder)
    try names.synchronize()
    try names.close()
  }

  /// A batch that is found may be one whose name was not made durable.
  func confirm() throws { try Self.sync(folder) }

  var largestBatch: Int? { 1 << 30 }
  func durability() -> LogDurability { .machine }

  /// The numbers of the batches, in order. Numbers of one length sort as texts.
  private func numbers() throws -> [UInt64] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
      .compactMap { UInt64($0) }.sorted()
  }

  private func object(_ number: UInt64) -> URL {
    let digits = String(number)
    return folder.appending(path: String(repeating: "0", count: 20 - digits.count) + digits)
  }

  private func read(_ number: UInt64) throws -> StoredBatch {
    try StoredBatch(Array(Data(contentsOf: object(number))), in: place, from: number)
  }

  func last() throws -> StoredBatch? { try numbers().last.map(read) }

  func batch(at sequence: UInt64) throws -> StoredBatch? {
    try numbers().last { $0 <= sequence }.map(read)
  }

  func batches(from first: UInt64) throws -> [StoredBatch] {
    let numbers = try numbers().drop { $0 < first }
    return try numbers.first == first ? numbers.prefix(16).map(read) : []
  }

  func add(_ batch: StoredBatch) throws -> Bool {
    let part = folder.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: part) }
    try Data().write(to: part)
    let file = try FileHandle(forWritingTo: part)
    try file.write(contentsOf: batch.bytes)
    try file.synchronize()
    try file.close()
    do {
      // The system makes a second name only if nothing has it.
      try FileManager.default.linkItem(at: part, to: object(batch.firstSequence))
    } catch CocoaError.fileWriteFileExists {
      return false
    }
    try confirm()
    return true
  }
}
