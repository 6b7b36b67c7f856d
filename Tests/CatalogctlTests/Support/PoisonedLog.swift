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

  private var isSpaced = false

  /// A playlist whose list is its own base twice, again and again, and is then named once more by each event: a few bytes
  /// a list, and twice as many rows.
  static func doubling(times: Int, andAgain: Int) -> PoisonedLog {
    var log = PoisonedLog()
    log.isSpaced = true
    log.events = [
      log.events[0],
      (
        "item.upserted",
        #"{"id":"\#(id)","kind":"music","title":"List","subtitle":null,"duration":null,"artworkUrl":null}"#
      ),
      ("playlist.linked", #"{"item":"\#(id)","playlistId":"pl.1","useSnapshot":true}"#),
    ]
    let track =
      #"{"id":"t","type":"songs","title":"Song","artist":"Somebody","album":null,"duration":null,"artworkUrl":null}"#
    func add(_ count: Int, _ runs: String, _ tracks: String = "") {
      let base = log.events.count == 3 ? "null" : "\(log.events.count)"
      log.events.append(
        (
          "playlist.tracks.snapshotted",
          #"{"item":"\#(id)","playlistId":"pl.1","storefront":"us","base":\#(base),"count":\#(count),"#
            + #""runs":[\#(runs)],"tracks":[\#(tracks)]}"#
        ))
    }
    add(1, #"{"ids":["t"]}"#, track)
    for time in 0..<times {
      let run = #"{"from":0,"count":\#(1 << time)}"#
      add(2 << time, "\(run),\(run)")
    }
    for _ in 0..<andAgain { add(1 << times, #"{"from":0,"count":\#(1 << times)}"#) }
    return log
  }

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
      let millisecond = isSpaced ? String("000\(index)".suffix(3)) : "000"
      let line =
        #"{"seq":\#(index + 1),"at":"2026-01-31T12:00:00.\#(millisecond)Z","type":"\#(event.0)","v":1,"#
        + #""op":"\#(Self.id)","by":"person","data":\#(event.1)}"#
      try Array(line.utf8).withUnsafeBytes { try batch.append(line: $0) }
      _ = try writer.append(batch)
    }
  }
}
