import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Logs that are small on disk and ask for a great deal of memory, with every CRC and every chain hash
/// right: only the limits of the format stand against them.
///
/// The real program reads them, and what it needed at most is asked of the kernel.
@Suite(
  .promise(
    "Hostile bytes are refused before memory is allocated for them",
    by: "right CRCs and hashes, under 64 MiB in the real program; a line without end under "
      + "160 MiB; a gigabyte of junk is refused by its beginning"),
  .serialized)
struct BombTests {
  /// Of the whole process, in KiB, as the kernel counts it.
  private static let limit = 64 << 10

  private let folder: ScratchFolder
  private let good: [UInt8]
  private let head: LogHead
  private let logID = LogID(bytes: Array(0..<16))

  init() throws {
    folder = try ScratchFolder()
    let path = folder.path + "/events"
    let writer = try EventLogWriter(directory: path, logID: logID, holder: "test")
    var batch = try writer.makeBatch(expecting: writer.head)
    try Array("{}".utf8).withUnsafeBytes { try batch.append(line: $0) }
    _ = try writer.append(batch)
    head = writer.head
    writer.close()
    good = [UInt8](try Data(contentsOf: URL(filePath: path + "/" + LogFolder.name(1))))
  }

  // MARK: Refused

  @Test func aGigabyteOfZeros() async throws {
    let (frames, chain) = try await Self.zeros(
      1 << 30, after: head, stored: "--stream-size=1073741824", "--no-content-size")
    #expect(frames[0].count < 40_000)
    try await expectRefusal(
      batch([frames[0]], plain: [1 << 30], of: 1 << 30, chain: chain), "longer than any can be")
    // The header says what is allowed, and the frame what it is; or the frame does not say how long it is.
    for frame in frames {
      try await expectRefusal(
        batch([frame], plain: [1 << 20], of: 1 << 20, chain: chain),
        "does not hold the 1048576 bytes")
    }
  }

  @Test func lengthsOfTwoToThe63() async throws {
    let frame = Self.runs([UInt8](repeating: 0x20, count: 7) + [0x0A])
    let chain = head.chain
    let huge: UInt64 = 1 << 63
    try await expectRefusal(
      batch([frame], plain: [1 << 20], of: huge, chain: chain), "differ from its length")
    try await expectRefusal(
      batch([frame], plain: [.max], of: huge, chain: chain), "longer than any can be")
    // Magic, a descriptor of one segment with a content size of eight bytes, that size, a block.
    let claims =
      [0x28, 0xB5, 0x2F, 0xFD, 0xE0] + withUnsafeBytes(of: huge.littleEndian) { Array($0) }
      + [0x03, 0x00, 0x10, 0x0A]
    try await expectRefusal(
      batch([claims], plain: [1 << 20], of: 1 << 20, chain: chain),
      "does not hold the 1048576 bytes")
  }

  /// A window of 2 GiB over a frame that is right otherwise.
  @Test func aWindowOfTwoGigabytes() async throws {
    let text = [UInt8](repeating: 0x20, count: 7) + [0x0A]
    // Its last block is all line feeds.
    let events: UInt64 = 131_072
    let chain = Self.chain(Self.plain(text), of: events, after: head)
    try await expectRefusal(
      batch(
        [Self.runs(text, windowLog: 31)], plain: [1 << 20], of: 1 << 20, chain: chain,
        events: events),
      "needs a window of more than 128 MiB")
    // Of the largest that zstd's own tools read: it is no bomb, nothing of it is allocated.
    let sound = try await check(
      batch(
        [Self.runs(text, windowLog: 27)], plain: [1 << 20], of: 1 << 20, chain: chain,
        events: events))
    #expect(sound.status == 0, "\(sound)")
    #expect(sound.memory < Self.limit, "\(sound)")
  }

  @Test func aMillionFrames() async throws {
    let entry = FrameEntry(storedLength: 1, plainLength: 1, crc: 0)
    let header = BatchHeader(
      logID: logID, firstSequence: 2, eventCount: 1, plainLength: 1_000_000,
      previousChain: head.chain, chain: head.chain,
      frames: Array(repeating: entry, count: 1_000_000))
    try await expectRefusal(header.encoded(), "is inconsistent")
    // The number alone, without a table behind it.
    try await expectRefusal(Array(header.encoded()[..<132]), "is inconsistent")
  }

  /// A sealed segment whose tables are as long as any number of them can say.
  @Test func sealedTablesWithoutEnd() async throws {
    let frame = Self.runs([UInt8](repeating: 0x20, count: 7) + [0x0A])
    for (frames, batches) in [(1_000_000, 1), (1, 4_000_000)] {
      let header = SealHeader(
        logID: logID, firstSequence: 2, eventCount: 4_000_000, plainLength: 1 << 30,
        previousChain: head.chain, chain: head.chain,
        frames: Array(
          repeating: SealHeader.Frame(
            entry: FrameEntry(
              storedLength: UInt32(frame.count), plainLength: 1 << 20, crc: CRC32.of(frame)),
            batchesEnded: 1, chain: head.chain), count: frames),
        batches: Array(
          repeating: SealHeader.Batch(eventCount: 1, plainLength: 1), count: batches))
      try await expectRefusal(
        sealed: header.encoded() + frame, "is inconsistent", "\(frames) frames")
    }
  }

  /// 65,536 frames of 1 MiB without a line feed: a line of 64 GiB in five megabytes.
  @Test func aLineWithoutEnd() async throws {
    let frame = Self.runs([UInt8](repeating: 0x20, count: 8))
    let count = 65_536
    let bomb = batch(
      Array(repeating: frame, count: count), plain: Array(repeating: 1 << 20, count: count),
      of: UInt64(count) << 20, chain: head.chain)
    // The one that costs more: the longest line that is allowed, and the array that it grows in.
    try await expectRefusal(bomb, "a line is longer than", memory: 160 << 10)
  }

  /// A gigabyte, most of it a hole, in the place of a segment, of a seed and of a receipt.
  @Test func aGigabyteOfJunkIsRefusedByItsBeginning() async throws {
    let junk = folder.file("junk")
    try folder.write("no JSON, and no segment", to: "junk")
    #expect(truncate(junk, 1 << 30) == 0)
    for command in [["import"], ["import", "--dry-run"], ["verify", "--receipt"]] {
      let run = try await run(command + [junk, "--catalog", folder.file("none")])
      #expect(run.status == 1 && run.text.contains(junk), "\(command): \(run)")
      #expect(run.memory < Self.limit, "\(command): \(run)")
    }
    try FileManager.default.removeItem(atPath: folder.file("events/" + LogFolder.name(1)))
    try FileManager.default.moveItem(
      atPath: junk, toPath: folder.file("events/" + LogFolder.name(1)))
    for command in [["head"], ["log"], ["stats"], ["rebuild"]] {
      let run = try await run(command + ["--catalog", folder.path])
      #expect(run.status == 3 && run.text.contains("offset 0"), "\(command): \(run)")
      #expect(run.memory < Self.limit, "\(command): \(run)")
    }
  }

  // MARK: Allowed

  /// As many batches as a segment can have, of one byte each: a megabyte of text, and small on disk.
  @Test func aMillionTinyBatches() async throws {
    let count = 1 << 20
    var chain = head
    var batches: [SealHeader.Batch] = []
    batches.reserveCapacity(count)
    for _ in 0..<count {
      var hasher = ChainHasher(previous: chain.chain, firstSequence: chain.sequence + 1)
      [UInt8(0x0A)].withUnsafeBytes { hasher.add($0) }
      chain = LogHead(sequence: chain.sequence + 1, chain: hasher.finish(eventCount: 1))
      batches.append(SealHeader.Batch(eventCount: 1, plainLength: 1))
    }
    let frame = Self.runs([UInt8](repeating: 0x0A, count: 8))
    var header = SealHeader(
      logID: logID, firstSequence: 2, eventCount: UInt64(count), plainLength: UInt64(count),
      previousChain: head.chain, chain: chain.chain,
      frames: [
        SealHeader.Frame(
          entry: FrameEntry(
            storedLength: UInt32(frame.count), plainLength: 1 << 20, crc: CRC32.of(frame)),
          batchesEnded: UInt32(count), chain: chain.chain)
      ], batches: batches)
    let encoded = try header.encoded()
    header.length = encoded.count
    let bytes = encoded + frame + header.seekTable()
    #expect(bytes.count < 2_000)
    let run = try await check(sealed: bytes)
    #expect(run.status == 0, "\(run)")
    #expect(run.memory < Self.limit, "\(run)")
  }

  // MARK: Tools

  private struct Run: CustomStringConvertible {
    let status: Int
    /// At most, in KiB.
    let memory: Int
    let text: String

    var description: String { "status \(status), \(memory) KiB: \(text)" }
  }

  private func expectRefusal(
    _ bomb: [UInt8] = [], sealed: [UInt8]? = nil, _ words: String, _ what: String = "",
    memory limit: Int = limit, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let run = try await sealed == nil ? check(bomb) : check(sealed: sealed ?? [])
    #expect(run.status == 3, "\(what) \(run)", sourceLocation: location)
    #expect(run.text.contains(words), "\(what) \(run)", sourceLocation: location)
    #expect(run.memory < limit, "\(what) \(run)", sourceLocation: location)
  }

  /// Checks the good batch with the bomb behind it.
  private func check(_ bomb: [UInt8]) async throws -> Run {
    try folder.write(good + bomb, to: "events/" + LogFolder.name(1))
    return try await check()
  }

  private func check(sealed bomb: [UInt8]) async throws -> Run {
    try folder.write(bomb, to: "events/" + LogFolder.name(2))
    return try await check()
  }

  private func check() async throws -> Run {
    try await run(["check", "--catalog", folder.path])
  }

  private func run(_ arguments: [String]) async throws -> Run {
    let script = """
      import json, resource, subprocess, sys
      run = subprocess.run(sys.argv[1:], capture_output=True, text=True)
      memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
      print(json.dumps(
          {"status": run.returncode, "memory": memory, "text": run.stdout + run.stderr}))
      """
    let outcome = try await Program.run(
      "python3", ["-c", script, Program.catalogctl] + arguments)
    let object = try outcome.object()
    return Run(
      status: try #require(object["status"] as? Int),
      memory: try #require(object["memory"] as? Int),
      text: try #require(object["text"] as? String))
  }

  /// A batch behind the good one, with all its CRCs.
  private func batch(
    _ frames: [[UInt8]], plain: [UInt32], of length: UInt64, chain: ChainHash,
    events: UInt64 = 1
  ) -> [UInt8] {
    BatchHeader(
      logID: logID, firstSequence: 2, eventCount: events, plainLength: length,
      previousChain: head.chain, chain: chain,
      frames: zip(frames, plain).map {
        FrameEntry(storedLength: UInt32($0.count), plainLength: $1, crc: CRC32.of($0))
      }
    ).encoded() + frames.joined()
  }

  /// A frame of 1 MiB: eight blocks of 128 KiB that repeat one byte each.
  private static func runs(_ bytes: [UInt8], windowLog: Int? = nil) -> [UInt8] {
    var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    // A content size of four bytes, and a window or none.
    frame += windowLog.map { [0x80, UInt8($0 - 10) << 3] } ?? [0xA0]
    frame += [0, 0, 0x10, 0]
    for (index, byte) in bytes.enumerated() {
      // A block of one repeated byte, the last one marked.
      let block: UInt32 = 131_072 << 3 | 1 << 1 | (index == bytes.count - 1 ? 1 : 0)
      frame += withUnsafeBytes(of: block.littleEndian) { Array($0.prefix(3)) } + [byte]
    }
    return frame
  }

  private static func plain(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { Array(repeating: $0, count: 131_072) }
  }

  private static func chain(_ plain: [UInt8], of events: UInt64, after head: LogHead) -> ChainHash {
    var hasher = ChainHasher(previous: head.chain, firstSequence: head.sequence + 1)
    plain.withUnsafeBytes { hasher.add($0) }
    return hasher.finish(eventCount: events)
  }

  /// One line of zeros, as the zstd tool stores it in some ways, and its chain hash, by OpenSSL's tool.
  private static func zeros(
    _ length: Int, after head: LogHead, stored ways: String...
  ) async throws -> (frames: [[UInt8]], chain: ChainHash) {
    let scratch = try ScratchFolder()
    var prefix = head.chain.bytes
    prefix.append(littleEndian: head.sequence + 1)
    var suffix: [UInt8] = []
    suffix.append(littleEndian: UInt64(1))
    try scratch.write(prefix, to: "prefix")
    try scratch.write(suffix, to: "suffix")
    let made = try await Program.shell(
      """
      cd \(scratch.path)
      line() { head -c \(length - 1) /dev/zero; echo; }
      for way in \(ways.joined(separator: " ")); do line | zstd -q -c $way > frame$way; done
      { cat prefix; line; cat suffix; } | openssl dgst -sha256 -r | cut -d' ' -f1
      """)
    let hash = made.output.trimmingCharacters(in: .newlines)
    return (
      try ways.map { try scratch.bytes("frame\($0)") },
      try #require(ChainHash(hex: hash), "\(made)")
    )
  }
}
