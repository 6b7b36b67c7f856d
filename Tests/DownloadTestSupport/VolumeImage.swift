package import CatalogTestSupport
import Foundation

/// What a simulated volume holds at one moment: what is durable, and what is not.
package struct VolumeImage: Sendable {
  static let sector = 512
  static let root = 1

  struct Inode: Sendable {
    var isFolder: Bool
    /// As programs see them.
    var bytes: [UInt8] = []
    /// As they are on the medium.
    var durable: [UInt8] = []
    /// Sectors that were written and not synced.
    var dirty: Set<Int> = []
    /// As programs see them.
    var names: [String: Int] = [:]
    /// As they are on the medium.
    var durableNames: [String: Int] = [:]

    mutating func write(_ new: UnsafeRawBufferPointer, at offset: Int) {
      if bytes.count < offset { bytes += Array(repeating: 0, count: offset - bytes.count) }
      bytes.replaceSubrange(offset..<min(bytes.count, offset + new.count), with: new)
      guard !new.isEmpty else { return }
      dirty.formUnion(offset / sector...(offset + new.count - 1) / sector)
    }

    mutating func truncate(to size: Int) {
      guard size < bytes.count else { return }
      bytes.removeSubrange(size...)
      dirty = dirty.filter { $0 * sector < size }
      if size % sector > 0 { dirty.insert(size / sector) }
    }

    mutating func sync() {
      durable = medium(size: bytes.count) { _ in true }
      dirty = []
    }

    /// A sync that fails: the system drops what it could not write, and will not try again.
    mutating func failSync() { dirty = [] }

    /// The medium's bytes with some of the dirty sectors.
    func medium(size: Int, taking isTaken: (Int) -> Bool) -> [UInt8] {
      var medium = Array(durable.prefix(size))
      medium += Array(repeating: 0, count: size - medium.count)
      // In order, so that a seed gives the same again.
      for sector in dirty.sorted() where isTaken(sector) {
        let start = sector * VolumeImage.sector
        let end = min(start + VolumeImage.sector, size, bytes.count)
        if start < end { medium.replaceSubrange(start..<end, with: bytes[start..<end]) }
      }
      return medium
    }
  }

  enum NameChange: Sendable {
    case set(folder: Int, String, Int)
    case remove(folder: Int, String, Int)
    /// One change, in two folders at most: file systems with a journal do both or neither.
    case move(folder: Int, String, target: Int, String, Int)

    /// The folder whose sync makes it durable.
    var folder: Int {
      switch self {
      case .set(let folder, _, _), .remove(let folder, _, _), .move(_, _, let folder, _, _): folder
      }
    }

    func apply(
      to inodes: inout [Int: Inode], _ names: WritableKeyPath<Inode, [String: Int]>
    ) {
      switch self {
      case .set(let folder, let name, let inode):
        inodes[folder]?[keyPath: names][name] = inode
      case .remove(let folder, let name, let inode):
        if inodes[folder]?[keyPath: names][name] == inode {
          inodes[folder]?[keyPath: names][name] = nil
        }
      case .move(let folder, let name, let target, let newName, let inode):
        if inodes[folder]?[keyPath: names][name] == inode {
          inodes[folder]?[keyPath: names][name] = nil
        }
        inodes[target]?[keyPath: names][newName] = inode
      }
    }
  }

  var inodes: [Int: Inode] = [root: Inode(isFolder: true)]
  /// Changes of names that no sync of their folder followed, in order.
  var changes: [NameChange] = []

  init() {}

  /// Everything is durable.
  init(_ contents: VolumeContents) {
    var numbers = ["": Self.root]
    for (index, path) in contents.entries.keys.sorted().enumerated() {
      let number = index + 2
      numbers[path] = number
      let cut = path.lastIndex(of: "/")
      let name = cut.map { String(path[path.index(after: $0)...]) } ?? path
      // Sorted, so that a folder comes before what is in it.
      let parent = numbers[cut.map { String(path[..<$0]) } ?? ""] ?? Self.root
      let bytes = contents.entries[path] ?? nil
      inodes[number] = Inode(
        isFolder: bytes == nil, bytes: bytes ?? [], durable: bytes ?? [])
      inodes[parent]?.names[name] = number
      inodes[parent]?.durableNames[name] = number
    }
  }

  /// As programs see it.
  package var contents: VolumeContents {
    VolumeContents(self, \.names) { $0.bytes }
  }

  /// What a loss of power at this moment may leave: of names that were changed and not synced any, of
  /// sectors that were written and not synced any, each file with its old length, its new one, or one
  /// between.
  package func afterPowerLoss(_ dice: inout SeededGenerator) -> VolumeContents {
    var left = self
    let manner = dice.below(5)
    let ordered = dice.below(changes.count + 1)
    for (index, change) in changes.enumerated() {
      let isKept =
        switch manner {
        case 0: false
        case 1: true
        case 2, 3: index < ordered
        default: dice.below(2) == 0
        }
      if isKept { change.apply(to: &left.inodes, \.durableNames) }
    }
    for number in left.inodes.keys.sorted() {
      guard let inode = left.inodes[number], !inode.isFolder else { continue }
      guard !inode.dirty.isEmpty || inode.durable.count != inode.bytes.count else { continue }
      let (old, new) = (inode.durable.count, inode.bytes.count)
      var size = dice.below(2) == 0 ? old : new
      if dice.below(4) == 0 { size = min(old, new) + dice.below(abs(new - old) + 1) }
      let isAll = dice.below(4) == 0
      left.inodes[number]?.durable = inode.medium(size: size) { _ in
        isAll || dice.below(2) == 0
      }
    }
    return VolumeContents(left, \.durableNames) { $0.durable }
  }
}

/// Files and folders by their paths.
package struct VolumeContents: Hashable, Sendable {
  /// Folders have no bytes.
  private(set) package var entries: [String: [UInt8]?] = [:]

  init(
    _ image: VolumeImage, _ names: KeyPath<VolumeImage.Inode, [String: Int]>,
    _ bytes: (VolumeImage.Inode) -> [UInt8]
  ) {
    func add(_ number: Int, _ path: String) {
      guard let inode = image.inodes[number] else { return }
      if !path.isEmpty { entries[path] = .some(inode.isFolder ? nil : bytes(inode)) }
      for (name, child) in inode[keyPath: names] {
        add(child, path.isEmpty ? name : "\(path)/\(name)")
      }
    }
    add(VolumeImage.root, "")
  }

  /// Lays it all out in a real folder.
  package func write(to folder: String) throws {
    for path in entries.keys.sorted() {
      let place = "\(folder)/\(path)"
      if let bytes = entries[path] ?? nil {
        try Data(bytes).write(to: URL(filePath: place))
      } else {
        try FileManager.default.createDirectory(
          atPath: place, withIntermediateDirectories: true)
      }
    }
  }
}
