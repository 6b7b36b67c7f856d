package import CatalogModel
package import Projections

/// Decoded events of a sound library, with the texts of items where a projector takes them.
package final class SoundLibraryBlock: EventBlock {
  package fileprivate(set) var records: [EventRecord] = []
  /// What goes with each record; empty where nobody asks for it.
  package fileprivate(set) var texts: [ItemTexts?] = []

  /// A block of this kind's own decoder.
  package static func of(_ block: any EventBlock) -> SoundLibraryBlock {
    guard let block = block as? SoundLibraryBlock else {
      preconditionFailure("a block of another kind")
    }
    return block
  }

  package var count: Int { records.count }

  package func sequence(at place: Int) -> UInt64 { records[place].sequence }

  package func envelope(at place: Int) -> EventEnvelope { records[place].envelope }

  package func beginning(at place: Int) -> CatalogCreated? {
    if case .catalogCreated(let created) = records[place].event { created } else { nil }
  }

  package func removeAll() {
    records.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }
}

/// Decodes lines of a sound library's log.
package struct SoundLibraryDecoder: BlockDecoder {
  private var decoder = EventDecoder()
  private let makesTexts: Bool
  /// Events about one other item are passed over.
  private let item: EntityID?
  /// Whether others are cut down to what can touch the item's rows.
  private let isCut: Bool

  package init(_ purpose: ReplayPurpose) {
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
  package init(about item: EntityID) {
    self.item = item
    isCut = false
    makesTexts = false
  }

  package func makeBlock() -> any EventBlock { SoundLibraryBlock() }

  package mutating func decode(
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

extension EventRecord {
  fileprivate var itemTexts: ItemTexts? {
    if case .itemUpserted(let event) = event { ItemTexts(event) } else { nil }
  }
}
