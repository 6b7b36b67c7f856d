import CatalogEngine
import CatalogModel
import LibC
import Projections

extension KindConformance {
  /// Writes, reads and applies the history in a child process, so that a kind that ends the process is a finding and
  /// not the end of the tests.
  ///
  /// - Returns: empty on systems that cannot fork a process.
  func endingFindings() throws -> [ConformanceFinding] {
    #if canImport(Glibc)
      let records = records
      // A child of a process with threads may wait for a lock that no thread of its own holds: it is tried again.
      for attempt in 1...ChildTrial.attempts {
        let outcome = try ChildTrial.run { note in try apply(records, note) }
        switch outcome {
        case .ended: return []
        case .stuck(let place) where attempt == ChildTrial.attempts:
          return [finding(records, place, "does not finish within \(ChildTrial.seconds) s")]
        case .stuck: continue
        case .killed(let place, let signal, let message):
          let last = message.map { ": \($0)" } ?? ""
          return [finding(records, place, "ends the process with signal \(signal)\(last)")]
        }
      }
    #endif
    return []
  }

  private func finding(
    _ records: [Recorded<Kind.Event>], _ place: Int, _ message: String
  ) -> ConformanceFinding {
    let record = records[min(place, records.count - 1)]
    return ConformanceFinding(
      .outcome, "event \(record.sequence) (\(kind.type(of: record.event).rawValue)) \(message)")
  }

  /// Does with the history what the other trials do.
  ///
  /// - Parameter note: called with the place of each event before it.
  private func apply(_ records: [Recorded<Kind.Event>], _ note: (Int) -> Void) throws {
    let places = Array(records.indices)
    for history in [places, places.reversed()] + places.map({ [$0] }) {
      let rows = MemoryRowStore(schema: kind.schema)
      for place in history {
        note(place)
        let record = records[place]
        var line: [UInt8] = []
        _ = kind.encode(record, into: &line)
        _ = try? read(line, record.sequence)
        // What an event throws is the finding of another trial.
        try? kind.apply(record, to: rows)
      }
    }
  }
}

#if canImport(Glibc)
  /// Work in a child process.
  private enum ChildTrial {
    enum Outcome {
      case ended
      /// The process ended by a signal at this event, with the last line that it wrote to standard error.
      case killed(Int, signal: Int32, message: String?)
      case stuck(Int)
    }

    static let attempts = 3
    /// How long an event may take.
    static let seconds = 20

    /// - Parameter work: gets a function that notes how far it is.
    static func run(_ work: ((Int) -> Void) throws -> Void) throws -> Outcome {
      let page = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
      guard let page, page != MAP_FAILED else { throw failure("map memory") }
      defer { munmap(page, 4_096) }
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw failure("make a pipe") }
      let child = fork()
      guard child >= 0 else {
        close(ends[0])
        close(ends[1])
        throw failure("start a process")
      }
      if child == 0 {
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS, SIGFPE] {
          signal(number, SIG_DFL)
        }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        dup2(ends[1], 2)
        // A file that the tests close would stay open here: its lock would be held, its volume busy, its pipe without an end.
        for descriptor in 3..<Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 65_536)) {
          close(descriptor)
        }
        // Each note counts, so that an event which is tried again is progress.
        try? work { place in
          page.storeBytes(of: place, as: Int.self)
          page.storeBytes(
            of: page.load(fromByteOffset: 8, as: Int.self) + 1, toByteOffset: 8, as: Int.self)
        }
        _exit(0)
      }
      close(ends[1])
      defer { close(ends[0]) }
      let (isStuck, written) = follow(page, ends[0])
      if isStuck { kill(child, SIGKILL) }
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      let place = page.load(as: Int.self)
      if isStuck { return .stuck(place) }
      let number = status & 0x7F
      guard number != 0 else { return .ended }
      let lines = String(decoding: written, as: UTF8.self).split(separator: "\n")
      return .killed(
        place, signal: number,
        message: lines.last { $0.contains("Fatal error") }.map(String.init))
    }

    /// Reads what the child writes until it ends, or until an event takes too long.
    private static func follow(_ page: UnsafeMutableRawPointer, _ end: Int32) -> (Bool, [UInt8]) {
      var written: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4_096)
      var (last, waits) = (-1, 0)
      while true {
        var entry = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, 100) > 0 {
          let count = read(end, &buffer, buffer.count)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return (false, written) }
          if written.count < 1 << 20 { written += buffer[..<count] }
          continue
        }
        let notes = page.load(fromByteOffset: 8, as: Int.self)
        waits = notes == last ? waits + 1 : 0
        last = notes
        if waits > seconds * 10 { return (true, written) }
      }
    }

    private static func failure(_ what: String) -> CatalogError {
      CatalogError(.verification, "cannot \(what): \(String(cString: strerror(errno)))")
    }
  }
#endif
