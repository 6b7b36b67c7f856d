extension AsyncSequence where Element == [UInt8] {
  /// All bytes of a body.
  package func collected() async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in self { bytes += chunk }
    return bytes
  }
}
