import ArgumentParser
import CatalogTestSupport
import EventLog
import Foundation
import Support

/// Spoils the bytes of logs in every way it knows and reads each: what is read must be a beginning of what was
/// written, and what is missing must be told.
struct MutateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "mutate")

  @Option var seed: UInt64
  @Option var count: Int

  func run() throws {
    var dice = SeededGenerator(seed: seed)
    let subjects = try (0..<9).map { try Subject(seed: seed &+ UInt64($0), shape: $0 % 3) }
    let kinds = Mutation.allCases
    var verdicts: [String: Int] = [:]
    for round in 0..<count {
      let subject = subjects[dice.below(subjects.count)]
      let donor = subjects[dice.below(subjects.count)]
      let mutation = kinds[round % kinds.count]
      let verdict: Subject.Verdict
      do {
        verdict = try subject.verdict(mutation, donor: donor, &dice)
      } catch let failure as Failure {
        throw Failure(
          description: "seed \(seed), mutation \(round + 1), \(mutation.rawValue): \(failure)")
      }
      verdicts[verdict.rawValue, default: 0] += 1
    }
    let parts = verdicts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    Embedder.say("mutations \(count): \(parts.joined(separator: ", "))")
  }
}

/// A log to be spoiled, and all that was appended to it.
private struct Subject {
  enum Verdict: String {
    /// The content is as it was.
    case same, damaged, torn
    /// Cut off between two batches, which nothing in the file can show.
    case shorter
  }

  private struct Batch {
    let info: BatchInfo
    let lines: [UInt8]
  }

  private let files: [String: [UInt8]]
  private let names: [String]
  private var batches: [Batch] = []

  /// - Parameter shape: 0 an open segment, 1 a sealed one, 2 a sealed one and an open one.
  init(seed: UInt64, shape: Int) throws {
    let folder = try ScratchFolder(inMemory: true)
    let path = folder.file("events")
    let writer = try EventLogWriter(
      directory: path, logID: LogID(bytes: Array(repeating: UInt8(seed & 0xFF), count: 16)),
      holder: "embedder")
    let lines = AppendedLines(seed: seed)
    for index in 0..<14 {
      var batch = try writer.makeBatch(expecting: writer.head)
      let first = writer.head.sequence + 1
      for sequence in first..<first + 1 + first % 4 {
        try lines.line(sequence).withUnsafeBytes { try batch.append(line: $0) }
      }
      _ = try writer.append(batch)
      if shape == 2 && index == 7 || shape == 1 && index == 13 { try writer.seal() }
    }
    writer.close()
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path)
    where name.hasSuffix(".jsonl.zst") {
      files[name] = [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
    }
    self.files = files
    names = files.keys.sorted()
    let reading = Reading(files)
    if let error = reading.error { throw error }
    batches = reading.batches
  }

  func verdict(
    _ mutation: Mutation, donor: Subject, _ dice: inout SeededGenerator
  ) throws -> Verdict {
    let name = names[dice.below(names.count)]
    let isOpen = batches.contains { $0.info.segment == name && $0.info.storedLength != nil }
    let before = files[name] ?? []
    let headers = isOpen ? own(name).map { Int($0.info.offset) } : [0]
    let after = mutation.apply(
      to: before, headers: headers, donor: donor.files[donor.names[0]] ?? [], &dice)
    var files = files
    files[name] = after
    let reading = Reading(files)
    let count = reading.batches.count
    guard count <= batches.count,
      zip(reading.batches, batches).allSatisfy({
        $0.info.head == $1.info.head && $0.lines == $1.lines
      })
    else { throw Failure(description: "events were read that were never appended") }
    if reading.error != nil { return .damaged }
    // zstd has more than one way to store the same bytes; behind a forged CRC the chain hash vouches for them.
    if after == before || mutation == .forgedFrame && count == batches.count { return .same }
    guard name == names.last, isOpen, mutation.canLookTorn else {
      throw Failure(
        description: "nothing was said, and \(count) of \(batches.count) batches were read")
    }
    // What lies whole before the first change must be there.
    let change = zip(before, after).enumerated().first { $1.0 != $1.1 }?.offset
    let first = change ?? min(before.count, after.count)
    let whole = batches.count { batch in
      batch.info.segment != name
        || Int(batch.info.offset) + Int(batch.info.storedLength ?? 0) <= first
    }
    guard count >= whole else {
      throw Failure(description: "batch \(count + 1) lies before the change and was not read")
    }
    if reading.isTorn {
      try requireNoBatch(behind: count, of: name, before, in: after)
      return .torn
    }
    guard before.starts(with: after) else {
      throw Failure(
        description: "nothing was said, and \(count) of \(batches.count) batches were read")
    }
    return .shorter
  }

  private func own(_ name: String) -> [Batch] {
    batches.filter { $0.info.segment == name }
  }

  /// What is called an interrupted write has nothing whole behind it.
  private func requireNoBatch(
    behind count: Int, of name: String, _ before: [UInt8], in after: [UInt8]
  ) throws {
    let end =
      batches.prefix(count).last { $0.info.segment == name }
      .map { Int($0.info.offset) + Int($0.info.storedLength ?? 0) } ?? 0
    // The bytes at the tear itself can be a batch of another place.
    let rest = after.dropFirst(end + 1)
    for batch in batches.dropFirst(count + 1) where batch.info.segment == name {
      let start = Int(batch.info.offset)
      let bytes = before[start..<start + Int(batch.info.storedLength ?? 0)]
      if rest.count >= bytes.count, Data(rest).range(of: Data(bytes)) != nil {
        throw Failure(description: "batch \(batch.info.firstSequence) is whole behind a torn tail")
      }
    }
  }

  private struct Reading {
    var batches: [Batch] = []
    var isTorn = false
    var error: EventLogError?

    init(_ files: [String: [UInt8]]) {
      do {
        let cursor = try EventLogReader(directory: "/events", files: BytesInMemory(files)).cursor()
        while let info = try cursor.nextBatch() {
          var lines: [UInt8] = []
          while let block = try cursor.nextLines() { lines += block.bytes }
          batches.append(Batch(info: info, lines: lines))
        }
        isTorn = cursor.torn != nil
      } catch let error as EventLogError {
        self.error = error
      } catch {
        self.error = EventLogError(.io, "\(error)")
      }
    }
  }
}
