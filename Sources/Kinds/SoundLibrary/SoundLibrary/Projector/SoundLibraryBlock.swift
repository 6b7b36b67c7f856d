import CatalogModel
import Projections

/// Decoded events of a sound library, with the texts of items where a projector takes them.
final class SoundLibraryBlock: EventBlock {
  fileprivate(set) var records: [SoundEventRecord] = []
  /// What goes with each record; empty where nobody asks for it.
  fileprivate(set) var texts: [ItemTexts?] = []

  /// A block of this kind's own decoder.
  static func of(_ block: any EventBlock) -> SoundLibraryBlock {
    guard let block = block as? SoundLibraryBlock else {
      preconditionFailure("a block of another kind")
    }
    return block
  }

  var count: Int { records.count }

  func sequence(at place: Int) -> UInt64 { records[place].sequence }

  func envelope(at place: Int) -> EventEnvelope { records[place].envelope }

  func beginning(at place: Int) -> CatalogCreated? {
    if case .catalogCreated(let created) = records[place].event { created } else { nil }
  }

  func removeAll() {
    records.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }
}

/// Decodes lines of a sound library's log.
struct SoundLibraryDecoder: BlockDecoder {
  private var decoder = SoundEventDecoder()
  private let makesTexts: Bool
  /// Events about one other item are passed over.
  private let item: EntityID?
  /// Whether others are cut down to what can touch the item's rows.
  private let isCut: Bool

  init(_ purpose: ReplayPurpose) {
    var item: EntityID?
    if case .row(let table, let key) = purpose, table === SoundLibrarySchema.libraryItem,
      case .id(let id)? = key.first
    {
      item = id
    }
    self.item = item
    isCut = true
    if case .rows = purpose { makesTexts = true } else { makesTexts = false }
  }

  /// A decoder that passes over events about other items.
  init(about item: EntityID) {
    self.item = item
    isCut = false
    makesTexts = false
  }

  func makeBlock() -> any EventBlock { SoundLibraryBlock() }

  mutating func decode(
    _ lines: UnsafeRawBufferPointer, first: UInt64, into block: any EventBlock
  ) throws {
    let block = SoundLibraryBlock.of(block)
    // A line of an import has some 300 bytes.
    block.records.reserveCapacity(block.records.count + lines.count / 256 + 1)
    let start = block.records.count
    defer {
      if makesTexts {
        for record in block.records[start...] { block.texts.append(record.itemTexts) }
      }
    }
    try EventLines.forEach(in: lines, first: first) { line, sequence in
      guard let item else {
        block.records.append(try decoder.decode(line: line, expecting: sequence))
        return
      }
      if let other = decoder.item(of: line), other != item { return }
      var record = try decoder.decode(line: line, expecting: sequence)
      if isCut {
        guard let part = SoundLibraryProjector.part(of: record.event, about: item) else { return }
        record.event = part
      }
      block.records.append(record)
    }
  }
}

extension SoundEventRecord {
  fileprivate var itemTexts: ItemTexts? {
    if case .itemUpserted(let event) = event { ItemTexts(event) } else { nil }
  }
}
