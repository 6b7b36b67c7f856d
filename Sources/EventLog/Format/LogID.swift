/// The identity of a log: 16 random bytes, chosen when it is made.
package struct LogID: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) {
    precondition(bytes.count == 16, "a log id has 16 bytes")
    self.bytes = bytes
  }
}
