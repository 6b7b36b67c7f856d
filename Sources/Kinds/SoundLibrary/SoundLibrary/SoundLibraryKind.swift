public import CatalogModel
public import Projections

/// The first kind of catalog: a tagged sound library.
public struct SoundLibraryKind: CatalogKind {
  private let projector = SoundLibraryProjector()

  public init() {}

  public var name: String { SoundLibraryProjector.kind }
  public var layout: Int64 { SoundLibraryProjector.layout }
  public var version: Int { SoundLibraryProjector.version }
  public var schema: Schema { SoundLibrarySchema.schema }
  public var fingerprint: ProjectorFingerprint { .soundLibrary }
  public var upcasters: Upcasters { SoundEvent.upcasters }

  public func excess(of record: SoundEventRecord) -> String? { record.unwritable }

  public func apply(_ record: SoundEventRecord, to rows: some RowStore) throws {
    try projector.applyWithoutConflict(record, to: rows)
  }

  // MARK: What a million events a second needs

  public func encode(_ record: SoundEventRecord, into line: inout [UInt8]) -> String? {
    EventEncoder().encode(record, into: &line)
  }

  public func makeDecoder(_ purpose: ReplayPurpose) -> any BlockDecoder {
    SoundLibraryDecoder(purpose)
  }

  public func apply(
    _ block: any EventBlock, _ range: Range<Int>, to rows: some RowStore,
    willApply: ((EventEnvelope) -> Void)?, conflicts: inout [ProjectionConflict]
  ) throws {
    let block = SoundLibraryBlock.of(block)
    // Read from here rather than through the block, an event is not copied for each call.
    let records = block.records
    let texts = block.texts
    for place in range {
      if let willApply { willApply(records[place].envelope) }
      let conflict = try projector.apply(
        records[place], texts: place < texts.count ? texts[place] : nil, to: rows)
      if let conflict { conflicts.append(conflict) }
    }
  }

  public var functions: [SQLFunction] { [LocalFiles.function] }

  // MARK: The way back

  public var reverted: TypedTable<RevertedRow>? { SoundLibrarySchema.reverted }
  public var reversalRules: ReversalRules { SoundLibrarySchema.reversalRules }

  /// The log does not have the files that a download left on this machine: no event brings a file back, or goes on with a
  /// download.
  public func wayBack(to rows: RestoredRows) -> WayBack<SoundEvent> {
    let audio = [LocalAsset.table.name, ItemAudio.table.name]
    if audio.contains(rows.table), !rows.rows.isEmpty {
      return .impossible(because: "the files may be gone from this machine; download the pack")
    }
    if rows.table == PackStateRow.table.name,
      let state = rows.columns.firstIndex(of: "state"),
      rows.rows.contains(where: { $0[state] != PackState.notDownloaded.columnValue })
    {
      return .impossible(because: "a download is the work of one machine; start it again")
    }
    return .events([.reversal(.rows(rows))])
  }

  // MARK: What a person is shown

  public var relations: [TableRelation] {
    TagDimension.all.map { dimension in
      TableRelation(
        name: dimension.key, table: SoundLibrarySchema.libraryItem,
        join: SoundLibrarySchema.join(of: dimension),
        values: SoundLibrarySchema.values(of: dimension), label: 1)
    }
  }
}
