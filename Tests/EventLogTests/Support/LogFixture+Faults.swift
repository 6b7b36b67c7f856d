import Testing

@testable import EventLog

extension LogFixture {
  /// How a log that was tampered with is met.
  enum Verdict: Equatable {
    case whole
    case torn
    case damaged
  }

  /// Holds reader, check and writer of a changed log against what was appended, and against each
  /// other. Nothing wrong may be delivered, and a writer opens only what is whole or torn.
  ///
  /// A writer that opens a torn log repairs it: write the segments anew after that.
  ///
  /// - Parameter isEarlier: the change is in a segment that another one follows. Of those a writer
  ///   reads headers alone: it may open such a log, and goes on behind its true end.
  func verdict(
    _ what: String, knownHeads: [LogHead] = [], isEarlier: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> Verdict {
    let read = try reader.delivered()
    expectPrefix(read, what, location)
    let ahead = try Delivered(reader.cursor(decodesAhead: true))
    #expect(
      ahead.batches == read.batches && ahead.lines == read.lines && ahead.torn == read.torn
        && ahead.error.map { "\($0)" } == read.error.map { "\($0)" },
      "\(what): decoded ahead", sourceLocation: location)
    let verdict: Verdict = read.error != nil ? .damaged : read.torn != nil ? .torn : .whole
    if let error = read.error {
      #expect(error.isDamage, "\(what): \(error)", sourceLocation: location)
    }

    let report = try reader.check()
    #expect(
      report.damage.isEmpty == (read.error == nil), "\(what): check", sourceLocation: location)
    #expect((report.torn == nil) == (read.torn == nil), "\(what): check", sourceLocation: location)

    let count = read.batches.count
    do {
      let writer = try writer(knownHeads: knownHeads)
      if isEarlier, verdict == .damaged {
        #expect(writer.head == head, "\(what): writer's head", sourceLocation: location)
        return verdict
      }
      #expect(verdict != .damaged, "\(what): a writer opened it", sourceLocation: location)
      #expect((writer.recovery != nil) == (verdict == .torn), "\(what)", sourceLocation: location)
      #expect(writer.head == heads[count], "\(what): writer's head", sourceLocation: location)
    } catch let error as EventLogError {
      #expect(
        verdict == .damaged || error.code == .lostEvents && !knownHeads.isEmpty,
        "\(what): \(error)", sourceLocation: location)
      #expect(error.isDamage, "\(what): \(error)", sourceLocation: location)
    }
    return verdict
  }

  /// What was delivered is the beginning of what was appended.
  func expectPrefix(_ read: Delivered, _ what: String, _ location: SourceLocation) {
    let count = read.lines.count
    guard count <= batches.count else {
      Issue.record("\(what): more batches than were appended", sourceLocation: location)
      return
    }
    #expect(read.lines == Array(batches.prefix(count)), "\(what)", sourceLocation: location)
    #expect(
      read.batches.map(\.head) == Array(heads[1...].prefix(count)), "\(what)",
      sourceLocation: location)
    if !read.rest.isEmpty {
      #expect(
        count < batches.count && Array(batches[count].prefix(read.rest.count)) == read.rest,
        "\(what): wrong events of batch \(count)", sourceLocation: location)
    }
  }

  /// Removes what recoveries kept aside.
  func removeKeptBytes() throws {
    for name in try names() where name.contains(".torn-") { try remove(name) }
  }
}
