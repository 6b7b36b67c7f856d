package import CatalogModel
package import Projections

/// The first kind of catalog: a tagged sound library.
package struct SoundLibraryKind: CatalogKind {
  private let projector = SoundLibraryProjector()

  package init() {}

  package var name: String { SoundLibraryProjector.kind }
  package var layout: Int64 { SoundLibraryProjector.layout }
  package var version: Int { SoundLibraryProjector.version }
  package var schema: Schema { SoundLibrarySchema.schema }
  package var fingerprint: ProjectorFingerprint { .soundLibrary }

  package func excess(of record: EventRecord) -> String? { record.unwritable }

  package func apply(_ record: EventRecord, to rows: some RowStore) throws {
    try projector.applyWithoutConflict(record, to: rows)
  }

  // MARK: What a million events a second needs

  package func encode(_ record: EventRecord, into line: inout [UInt8]) -> String? {
    EventEncoder().encode(record, into: &line)
  }

  package func makeDecoder(_ purpose: ReplayPurpose) -> any BlockDecoder {
    SoundLibraryDecoder(purpose)
  }

  package func apply(
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

  package var functions: [SQLFunction] { [LocalFiles.function] }

  // MARK: The way back

  package var reverted: TypedTable<RevertedRow>? { SoundLibrarySchema.reverted }
  package var reversalRules: ReversalRules { SoundLibrarySchema.reversalRules }

  /// The log does not have the files that a download left on this machine: no event brings a file back, or goes on with a
  /// download.
  package func wayBack(to rows: RestoredRows) -> WayBack<CatalogEvent> {
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

  package var relations: [TableRelation] {
    TagDimension.all.map { dimension in
      TableRelation(
        name: dimension.key, table: SoundLibrarySchema.libraryItem,
        join: SoundLibrarySchema.join(of: dimension),
        values: SoundLibrarySchema.values(of: dimension), label: 1)
    }
  }
}
