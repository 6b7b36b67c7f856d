import SoundLibrary

/// Every public type that `import SoundLibrary` gives, by its name: one that moves to another module stays one of them.
/// (`EmbeddingTests` compiles this as another package would, and looks for names that are missing here.)
enum PublicNames {
  // The front door
  static let theFrontDoor: [Any.Type] = [
    ImportedSeed.self,
    SeedImportReport.self,
    ManifestImporter.self,
    ManifestReport.self,
    ManifestReport.Asset.self,
    ManifestReport.Changes.self,
    ManifestSource.self,
    MusicRepository.self,
    MusicService.self,
    PackDoctor.self,
    PackSelection.self,
    SelectedPack.self,
    PackDownload.self,
    PackDownloadManager.self,
    PackDownloadResult.self,
    PackFinding.self,
    PackProgress.self,
    PlaylistRefresh.self,
    ResolvedPlaylist.self,
    SeedImporter.self,
    SeedSource.self,
    SoundLibrary.self,
    TagEditor.self,
    TagName.self,
  ]

  // Questions and answers
  static let questionsAndAnswers: [Any.Type] = [
    Availability.self,
    TagLint.self,
    FacetCounts.self,
    FacetMode.self,
    FacetRepository.self,
    Filters.self,
    ItemDetail.self,
    ItemPage.self,
    LibraryItemRow.self,
    LibraryRepository.self,
    LintFinding.self,
    MusicEntry.self,
    PackDetail.self,
    PackRepository.self,
    PackWithState.self,
    PageCursor.self,
    PlaybackStatus.self,
    PlaylistInfo.self,
    PlaylistSnapshot.self,
    PlaylistTrack.self,
    Sort.self,
    TagSelection.self,
    TagValue.self,
    VocabularyEntry.self,
    VocabularyRepository.self,
  ]

  // Vocabularies
  static let vocabularies: [Any.Type] = [
    Kind.self,
    PackKind.self,
    PackState.self,
    PlaylistState.self,
    TagDimension.self,
    TrackListChange.self,
  ]

  // Events
  static let events: [Any.Type] = [
    DimensionValueAdded.self,
    DimensionValueAliased.self,
    DimensionValueMerged.self,
    DimensionValueOrdered.self,
    DimensionValueRenamed.self,
    EventType.self,
    ItemTagSuppression.self,
    ItemTagsSet.self,
    ItemUpserted.self,
    ItemVisibilityChanged.self,
    ManifestApplied.self,
    ManifestApplied.Asset.self,
    ManifestApplied.Changes.self,
    ManifestApplied.Changes.Gone.self,
    PackDownloadCompleted.self,
    PackDownloadFailed.self,
    PackDownloadInterrupted.self,
    PackDownloadProgressed.self,
    PackDownloadStarted.self,
    PackItemsSet.self,
    PackReference.self,
    PackUpserted.self,
    PlaylistLinked.self,
    PlaylistMetadata.self,
    PlaylistMetadataRefreshed.self,
    PlaylistTracksSnapshotted.self,
    SeedImported.self,
    SoundEvent.self,
    SoundLibraryKind.self,
    TagSet.self,
    SoundEventRecord.self,
  ]

  // The engine
  static let theEngine: [Any.Type] = [
    CatalogClock.self,
    CatalogDirectory.self,
    (any BatchStore).self,
    (any CatalogFrontDoor).self,
    (any FilePlace).self,
    ExportReport.self,
    ExportReport.Document.self,
    ExportReport.Finding.self,
    CatalogFollower.self,
    CatalogError.self,
    CatalogHead.self,
    Blame.self,
    RecordedChange.self,
    CatalogProgress.self,
    CatalogSnapshot.self,
    ChangeOutcome.self,
    ImportOutcome.self,
    EventCounts.self,
    ChangeReport.self,
    ColumnChanges.self,
    ColumnPattern.self,
    ColumnPattern.Kind.self,
    KeysetCursor.self,
    OpeningOptions.self,
    LogDurability.self,
    MomentRange.self,
    OperationName.self,
    OperationSummary.self,
    RevertReport.self,
    ProgressObserver.self,
    SharedLogs.self,
    StoredBatch.self,
    StoreRefusal.self,
    TableSummary.self,
    ContentHash.self,
    WhatIf.self,
    WhatIf.Row.self,
  ]

  // Documents, texts and numbers from outside
  static let documentsAndTexts: [Any.Type] = [
    Blocking.self,
    DocumentFile.self,
    DocumentName.self,
    FolderListing.self,
    FolderListing.Entry.self,
    FolderListing.Sort.self,
    JSONExcerpt.self,
    NearMiss.self,
    NormalForm.self,
    NumberRules.self,
    TextProblem.self,
    TextRules.self,
  ]

  // Rows that are read
  static let rowsThatAreRead: [Any.Type] = [
    StoreError.self,
    EventLogError.self,
  ]

  // Tables and kinds
  static let tablesAndKinds: [Any.Type] = [
    (any BlockDecoder).self,
    CatalogExport.self,
    (any CatalogKind).self,
    EntryCount.self,
    ExportedDocument.self,
    (any ExportingKind).self,
    ImportStep<Int>.self,
    OmittedRows.self,
    (any KindDescriptions).self,
    DescribingEvent.self,
    Column.self,
    ColumnDefault.self,
    ColumnDescription.self,
    ColumnType.self,
    (any ColumnValue).self,
    (any EventBlock).self,
    ForeignKey.self,
    FullTextColumn.self,
    FullTextContent.self,
    FullTextIndexDescription.self,
    FullTextTokenizer.self,
    IndexReference.self,
    ImportReport<Int>.self,
    ReturnedValues.self,
    (any ImportReporting).self,
    IndexedColumn.self,
    PlannedChange<Int, Int>.self,
    PlannedEvents<Int>.self,
    ProjectionConflict.self,
    ProjectionError.self,
    ProjectorFingerprint.self,
    ReplayPurpose.self,
    RestoredRow.self,
    RestoredRows.self,
    Reversal.self,
    ReversalRules.self,
    RevertedOperation.self,
    RevertedRow.self,
    (any ReversibleEvent).self,
    (any RowStore).self,
    ProvedRows.self,
    RowChange.self,
    SQLFunction.self,
    ListRun<EntityID>.self,
    RowLimits.self,
    Schema.self,
    TableConstraint.self,
    TableDescription.self,
    TableIndex.self,
    TableRelation.self,
    TableStorage.self,
    Value.self,
  ]

  // Ids, times, events
  static let idsTimesEvents: [Any.Type] = [
    CanonicalLineReader.self,
    CatalogCreated.self,
    DocumentError.self,
    DocumentObject.self,
    DocumentReader.self,
    (any DescribedEvent).self,
    EntityID.self,
    EventDecodingError.self,
    EventEnvelope.self,
    EventDescription<Rung>.self,
    EventName<Rung>.self,
    (any EventTypeName).self,
    EventVocabulary<Rung>.self,
    EventVocabularyBuilder<Rung>.self,
    JSONKeyTable<DocumentError.Code>.self,
    JSONValue.self,
    AnyMember<Rung>.self,
    WayBack<Rung>.self,
    Member<Rung, String>.self,
    Payload<Rung>.self,
    PayloadForm.self,
    PayloadLimit<String>.self,
    (any PayloadObject).self,
    PayloadReader.self,
    (any PayloadValue).self,
    PayloadWriter.self,
    SearchQuery.self, SearchText.self,
    Timestamp.self,
    Upcasters.self,
  ]

  // Errors and what mends them
  static let errorsAndWhatMendsThem: [Any.Type] = [
    ErrorMessage.self,
    KindRecovery.self,
    (any RecoverableError).self,
    Recovery.self,
    RecoveryWords.self,
  ]

  // Downloads
  static let downloads: [Any.Type] = [
    DownloadFailure.self,
    DownloadPolicy.self,
    DownloadPolicyError.self,
    (any DownloadTransport).self,
    TransportFailure.self,
    TransportRequest.self,
    TransportResponse.self,
    AppleMusicError.self,
  ]

  // Those with parameters
  static func withParameters<Kind: CatalogKind, Row: Equatable & Sendable>(
    _ kind: Kind.Type, _ row: Row.Type
  )
    -> [Any.Type]
  {
    [
      CatalogObservation<Row>.self, EventCatalog<Kind>.self, Field<Row, String>.self,
      KeysetKey<Row>.self, KeysetList<Row>.self, KeysetPage<Row>.self, Recorded<Kind.Event>.self,
      TypedTable<Row>.self,
    ]
  }
}

/// An event, for the types that are generic over events.
enum Rung: DescribedEvent {
  case bell(String)

  static let vocabulary = EventVocabulary {
    EventDescription("bell.rung", "by", Rung.bell) {
      if case .bell(let name) = $0 { name } else { nil }
    }
  }
}
