import Support

/// How far a log goes: the sequence of its last event and the chain hash of its last batch.
package struct LogHead: Hashable, Sendable {
  /// 0 if there is no event yet.
  package var sequence: UInt64
  package var chain: ChainHash

  package init(sequence: UInt64, chain: ChainHash) {
    self.sequence = sequence
    self.chain = chain
  }

  /// The head of a log without events.
  package static func empty(_ id: LogID) -> LogHead {
    LogHead(sequence: 0, chain: ChainHash(bytes: Array(SHA256.hash(data: id.bytes))))
  }
}
