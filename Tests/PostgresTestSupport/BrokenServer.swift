import Foundation
import Support
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server that lets each client in, and answers each statement with the same bytes: of the protocol, and of no use.
package final class BrokenServer: Sendable {
  package enum Answer: Sendable {
    /// The statement is done, and has no rows.
    case nothing
    /// A row that is to have two gigabytes, of which no byte comes.
    case endlessRow
  }

  private let folder: String
  private let listener: CInt
  private let answer: Answer
  private let isEnded = Atomic(false)
  private let work = Mutex<[BackgroundWork<Void>]>([])

  package init(_ answer: Answer) throws {
    self.answer = answer
    folder = "/tmp/catalog-broken-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    listener = try LocalSocket.open(folder, bind)
    guard listen(listener, 16) == 0 else { throw LocalSocket.Failure(code: errno) }
    let accepting = try BackgroundWork { self.accepts() }
    work.withLock { $0.append(accepting) }
  }

  package var address: String { "postgresql://postgres@/postgres?host=\(folder)#broken" }

  /// How many clients it has let in.
  package var clients: Int { work.withLock { $0.count - 1 } }

  package func end() {
    isEnded.store(true, ordering: .relaxed)
    while let one = work.withLock({ $0.popLast() }) { one.wait() }
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func accepts() {
    while !isEnded.load(ordering: .relaxed) {
      guard LocalSocket.waits(for: [listener]) != nil else { continue }
      let client = accept(listener, nil, nil)
      guard client >= 0, let one = try? BackgroundWork({ self.serves(client) }) else { continue }
      work.withLock { $0.append(one) }
    }
  }

  private func serves(_ client: CInt) {
    defer { close(client) }
    var isIn = false
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !isEnded.load(ordering: .relaxed) {
      guard LocalSocket.waits(for: [client]) != nil else { continue }
      let count = read(client, &buffer, buffer.count)
      guard count > 0 else { return }
      let isRequest = count == 8 && buffer[4..<6].elementsEqual([0x04, 0xD2])
      // A request for TLS or GSS is declined by one letter.
      if isRequest {
        send([UInt8(ascii: "N")], to: client)
      } else if !isIn {
        isIn = true
        send(Self.message("R", [0, 0, 0, 0]) + Self.ready, to: client)
      } else {
        send(Self.bytes(of: answer), to: client)
      }
    }
  }

  private func send(_ bytes: [UInt8], to client: CInt) {
    _ = LocalSocket.send(bytes[...], to: client)
  }

  private static let ready = message("Z", [UInt8(ascii: "I")])

  private static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
    let length = withUnsafeBytes(of: UInt32(body.count + 4).bigEndian) { Array($0) }
    return [type.asciiValue ?? 0] + length + body
  }

  private static func bytes(of answer: Answer) -> [UInt8] {
    let begun = message("1", []) + message("2", [])
    switch answer {
    case .nothing:
      return begun + message("n", []) + message("C", Array("SELECT 0".utf8) + [0]) + ready
    case .endlessRow:
      let column =
        Array("a".utf8) + [0] + [0, 0, 0, 0, 0, 0, 0, 0, 0, 17, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1]
      return begun + message("T", [0, 1] + column) + [
        UInt8(ascii: "D"), 0x7F, 0xFF, 0xFF, 0xF0, 0, 1,
      ]
    }
  }
}
