import LibC

/// One page of a B-tree while it is filled: cells from its end on, their offsets from its start on.
final class TreePage {
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
  }

  let memory: UnsafeMutableRawPointer
  @exclusivity(unchecked) private(set) var count = 0
  private let kind: Kind
  private let pageSize: Int
  private let usableSize: Int
  private let headerLength: Int
  @exclusivity(unchecked) private var contentStart: Int

  init(_ kind: Kind, of file: PageFile) {
    self.kind = kind
    pageSize = file.pageSize
    usableSize = file.usableSize
    headerLength = kind.isLeaf ? 8 : 12
    contentStart = file.usableSize
    memory = .allocate(byteCount: file.pageSize, alignment: 16)
    clear()
  }

  deinit {
    memory.deallocate()
  }

  func clear() {
    memset(memory, 0, pageSize)
    memory.storeBytes(of: kind.rawValue, as: UInt8.self)
    contentStart = usableSize
    count = 0
  }

  @inline(__always)
  func hasRoom(for length: Int) -> Bool {
    headerLength + 2 * count + 2 + length <= contentStart
  }

  /// Makes room for a cell behind all others and returns where it is to be written.
  @inline(__always)
  func add(_ length: Int) -> UnsafeMutableRawPointer {
    contentStart -= length
    storeBigEndian(UInt16(contentStart), at: headerLength + 2 * count)
    count += 1
    return memory + contentStart
  }

  /// Takes the last cell away and hands its bytes over.
  func takeLast<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    let end =
      count > 1 ? Int(loadBigEndian(at: headerLength + 2 * (count - 2))) : usableSize
    let cell = UnsafeRawBufferPointer(start: memory + contentStart, count: end - contentStart)
    let result = try body(cell)
    memset(memory + contentStart, 0, cell.count)
    count -= 1
    storeBigEndian(0, at: headerLength + 2 * count)
    contentStart = end
    return result
  }

  /// Writes the header; `last` is the page behind the last cell of an interior page.
  func close(last: UInt32 = 0) {
    storeBigEndian(UInt16(count), at: 3)
    // 65,536 is written as 0.
    storeBigEndian(UInt16(truncatingIfNeeded: contentStart), at: 5)
    if !kind.isLeaf { memory.storeBytes(of: last.bigEndian, toByteOffset: 8, as: UInt32.self) }
  }

  @inline(__always)
  private func storeBigEndian(_ number: UInt16, at offset: Int) {
    memory.storeBytes(of: number.bigEndian, toByteOffset: offset, as: UInt16.self)
  }

  private func loadBigEndian(at offset: Int) -> UInt16 {
    UInt16(bigEndian: memory.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }
}
