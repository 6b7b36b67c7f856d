import LibC

/// Fills an empty B-tree of a database file with entries that come in order.
///
/// Pages are filled one after another and never read again: where SQLite finds its place from the root
/// for each row, this only adds to the page that is open on each level.
final class TreeWriter {
  private let file: PageFile
  private let root: UInt32
  private let isTable: Bool
  @exclusivity(unchecked) private var leaf: TreePage
  /// The page that is open on each level above the leaves.
  @exclusivity(unchecked) private var interiors: [TreePage] = []
  @exclusivity(unchecked) private var lastRowID: Int64 = 0
  private let cell: UnsafeMutableRawPointer
  private let overflow: UnsafeMutableRawPointer

  init(_ file: PageFile, root: UInt32, isTable: Bool) {
    self.file = file
    self.root = root
    self.isTable = isTable
    leaf = TreePage(isTable ? .tableLeaf : .indexLeaf, of: file)
    cell = .allocate(byteCount: file.pageSize, alignment: 16)
    overflow = .allocate(byteCount: file.pageSize, alignment: 16)
  }

  deinit {
    cell.deallocate()
    overflow.deallocate()
  }

  /// Adds a row to a table with row ids. They come in ascending order.
  func add(_ record: UnsafeRawBufferPointer, rowID: Int64) throws {
    let local = localLength(record.count)
    let length =
      Varint.length(UInt64(record.count)) + Varint.length(UInt64(bitPattern: rowID)) + local
      + (local < record.count ? 4 : 0)
    if !leaf.hasRoom(for: length) {
      leaf.close()
      let page = try file.append(leaf.memory)
      leaf.clear()
      let count = Varint.write(UInt64(bitPattern: lastRowID), to: cell)
      try add(UnsafeRawBufferPointer(start: cell, count: count), child: page, level: 0)
    }
    lastRowID = rowID
    var end = leaf.add(length)
    end += Varint.write(UInt64(record.count), to: end)
    end += Varint.write(UInt64(bitPattern: rowID), to: end)
    try put(record, local: local, to: end)
  }

  /// Adds an entry to an index, or a row to a table without row ids. They come in key order.
  func add(_ record: UnsafeRawBufferPointer) throws {
    let local = localLength(record.count)
    let length =
      Varint.length(UInt64(record.count)) + local + (local < record.count ? 4 : 0)
    if !leaf.hasRoom(for: length) {
      // The last entry goes up and divides this page from the next, which then has one at least.
      let divider = leaf.takeLast { last in
        UnsafeMutableRawBufferPointer(start: cell, count: last.count).copyMemory(from: last)
        return UnsafeRawBufferPointer(start: cell, count: last.count)
      }
      leaf.close()
      let page = try file.append(leaf.memory)
      leaf.clear()
      try add(divider, child: page, level: 0)
    }
    var end = leaf.add(length)
    end += Varint.write(UInt64(record.count), to: end)
    try put(record, local: local, to: end)
  }

  /// Writes the pages that are open; the highest one becomes the root.
  func finish() throws {
    guard leaf.count > 0 else { return }
    leaf.close()
    var top = leaf
    for interior in interiors {
      interior.close(last: try file.append(top.memory))
      top = interior
    }
    try file.replace(root, with: top.memory)
  }

  /// Adds what divides `child` from the next page to the page that is open on a level.
  private func add(_ divider: UnsafeRawBufferPointer, child: UInt32, level: Int) throws {
    if level == interiors.count {
      interiors.append(TreePage(isTable ? .tableInterior : .indexInterior, of: file))
    }
    let page = interiors[level]
    if !page.hasRoom(for: 4 + divider.count) {
      let taken = page.takeLast { Array($0) }
      try taken.withUnsafeBytes { taken in
        page.close(last: UInt32(bigEndian: taken.loadUnaligned(as: UInt32.self)))
        let number = try file.append(page.memory)
        page.clear()
        try add(UnsafeRawBufferPointer(rebasing: taken[4...]), child: number, level: level + 1)
      }
    }
    let place = page.add(4 + divider.count)
    withUnsafeBytes(of: child.bigEndian) { bytes in
      UnsafeMutableRawBufferPointer(start: place, count: 4).copyMemory(from: bytes)
    }
    UnsafeMutableRawBufferPointer(start: place + 4, count: divider.count)
      .copyMemory(from: divider)
  }

  // MARK: Long records

  /// How many bytes of a record stand in its cell; the rest goes into pages of its own.
  @inline(__always)
  private func localLength(_ count: Int) -> Int {
    let usable = file.usableSize
    let limit = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
    guard count > limit else { return count }
    let least = (usable - 12) * 32 / 255 - 23
    let length = least + (count - least) % (usable - 4)
    return length <= limit ? length : least
  }

  @inline(__always)
  private func put(
    _ record: UnsafeRawBufferPointer, local: Int, to place: UnsafeMutableRawPointer
  ) throws {
    UnsafeMutableRawBufferPointer(start: place, count: local)
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: record[..<local]))
    guard local < record.count else { return }
    let first = try putOverflow(UnsafeRawBufferPointer(rebasing: record[local...]))
    withUnsafeBytes(of: first.bigEndian) { bytes in
      UnsafeMutableRawBufferPointer(start: place + local, count: 4).copyMemory(from: bytes)
    }
  }

  /// A chain of pages, each with the number of the next one first.
  private func putOverflow(_ bytes: UnsafeRawBufferPointer) throws -> UInt32 {
    let first = file.number(after: file.pageCount)
    var start = 0
    while start < bytes.count {
      let part = bytes[start..<min(start + file.usableSize - 4, bytes.count)]
      start = part.endIndex
      let own = file.number(after: file.pageCount)
      let next = start < bytes.count ? file.number(after: own) : 0
      memset(overflow, 0, file.pageSize)
      overflow.storeBytes(of: next.bigEndian, as: UInt32.self)
      UnsafeMutableRawBufferPointer(start: overflow + 4, count: part.count)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
      _ = try file.append(overflow)
    }
    return first
  }
}
