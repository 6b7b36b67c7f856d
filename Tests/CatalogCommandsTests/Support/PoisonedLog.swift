import EventLog
import Foundation

/// A log whose events contradict each other, written as an earlier release wrote it.
struct PoisonedLog {
  private static let logID: [UInt8] = Array(1...16)
  private static let id = "01020304-0506-0708-090a-0b0c0d0e0f10"

  /// Type and payload of each event.
  private var events = [
    (
      "catalog.created",
      #"{"kind":"sound-library","layout":1,"logId":"01020304-0506-0708-090a-0b0c0d0e0f10"}"#
    ),
    (
      "dimension.value.added",
      #"{"dimension":"moods","id":1,"name":"Action","sortOrder":0,"isSystem":true}"#
    ),
    // The name is taken.
    (
      "dimension.value.added",
      #"{"dimension":"moods","id":2,"name":"Action","sortOrder":null,"isSystem":false}"#
    ),
    // Beyond what counts.
    (
      "dimension.value.added",
      #"{"dimension":"moods","id":9223372036854775807,"name":"Greatest","sortOrder":null,"isSystem":false}"#
    ),
    // The greatest that counts: no id can follow it.
    (
      "dimension.value.added",
      #"{"dimension":"moods","id":9007199254740991,"name":"Last","sortOrder":null,"isSystem":false}"#
    ),
  ]

  /// - Parameter event: type and payload of one more event.
  init(adding event: (String, String)? = nil) {
    if let event { events.append(event) }
  }

  /// - Parameter folder: of the log's segments; made here.
  func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let writer = try EventLogWriter(
      directory: folder, logID: LogID(bytes: Self.logID), holder: "test")
    defer { writer.close() }
    for (index, event) in events.enumerated() {
      var batch = try writer.makeBatch(expecting: writer.head)
      let line =
        #"{"seq":\#(index + 1),"at":"2026-01-31T12:00:00.000Z","type":"\#(event.0)","v":1,"#
        + #""op":"\#(Self.id)","by":"person","data":\#(event.1)}"#
      try Array(line.utf8).withUnsafeBytes { try batch.append(line: $0) }
      _ = try writer.append(batch)
    }
  }
}
