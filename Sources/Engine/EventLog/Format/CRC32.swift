/// CRC-32 as zlib computes it (polynomial 0xEDB88320), eight bytes at a step.
enum CRC32 {
  private static let tables: [[UInt32]] = {
    var tables = [
      (0..<256).map { byte -> UInt32 in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
      }
    ]
    for table in 1..<8 {
      tables.append(tables[table - 1].map { $0 >> 8 ^ tables[0][Int($0 & 0xFF)] })
    }
    return tables
  }()

  /// Flattened for one bounds check a look-up.
  private static let flat: [UInt32] = tables.flatMap { $0 }

  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    flat.withUnsafeBufferPointer { table in
      var crc: UInt32 = .max
      var index = 0
      while index + 8 <= bytes.count {
        let word =
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
          ^ UInt64(crc)
        var next: UInt32 = 0
        for step in 0..<8 {
          next ^= table[(7 - step) * 256 + Int(truncatingIfNeeded: word >> UInt64(8 * step) & 0xFF)]
        }
        crc = next
        index += 8
      }
      while index < bytes.count {
        crc = crc >> 8 ^ table[Int((crc ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
      return ~crc
    }
  }

  static func of(_ bytes: some Collection<UInt8>) -> UInt32 {
    bytes.withContiguousStorageIfAvailable { of(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { of($0) }
  }
}
