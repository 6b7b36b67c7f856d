extension [UInt8] {
  /// Calls `body` with the bytes. `withUnsafeBytes` has no typed throws on every platform that this builds for.
  func withRawBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try withUnsafeBytes { bytes -> Result<Value, Failure> in
      Result { () throws(Failure) in try body(bytes) }
    }.get()
  }
}
