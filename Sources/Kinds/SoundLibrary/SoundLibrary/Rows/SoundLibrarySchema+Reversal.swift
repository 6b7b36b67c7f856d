import Projections

extension SoundLibrarySchema {
  /// The rows that belong together, and those that follow from others.
  static let reversalRules: ReversalRules = {
    typealias Columns = ReversalRules.Columns
    let dimensions = TagDimension.all
    func named(_ dimension: TagDimension) -> [Value] { [.text(dimension.table)] }
    var rules = ReversalRules(
      // Sources keep their numbers: a document that is imported again is the same source.
      derived: dimensions.map(join) + [kind, source],
      settled: [
        Columns(item, ["kind", "is_visible"]),
        Columns(itemText, ["title", "title_variants", "subtitle"]),
      ],
      // Columns of one row, and below whole rows of several tables.
      together: [
        Columns(
          PlaylistReference.table, "apple_music_playlist_id", "last_sync_at", "use_snapshot"),
        Columns(
          PackStateRow.table, "state", "bytes_total", "bytes_downloaded", "installed_version",
          "last_error"),
        Columns(LocalAsset.table, "remote_url", "local_path", "etag", "sha256", "bytes_total"),
        Columns(AppliedManifest.table, "version", "sha256", "total_bytes", "assets"),
        Columns(
          KnownPlaylist.table, "storefront", "state", "reason", "snapshot_at",
          "snapshot_sequence", "is_playable"),
        // The words are those of the name.
        Columns(value, ["merged_into", "words"]),
      ],
      bundles: [
        [Columns(libraryItem, ["id"]), Columns(item, ["item_id"])],
        [Columns(item, ["number"]), Columns(itemText, ["number"])],
        [
          Columns(PackRow.table, "id"), Columns(PackStateRow.table, "pack_id"),
          Columns(PackSource.table, "pack_id"), Columns(LocalAsset.table, "pack_id"),
        ],
        [Columns(LocalAsset.table, "id"), Columns(ItemAudio.table, "asset_id")],
        [Columns(PlaylistReference.table, "item_id"), Columns(KnownPlaylist.table, "item_id")],
        [
          Columns(PlaylistReference.table, "apple_music_playlist_id"),
          Columns(PlaylistPlace.table.description, ["playlist_id"], isList: true),
        ],
        [Columns(CachedTrack.table, "track_id"), Columns(TrackType.table, "track_id")],
        [Columns(value, ["dimension", "value_id"])]
          + dimensions.map { Columns(values(of: $0), ["id"], after: named($0)) }
          // A value keeps the names that led to it for as long as it keeps its own.
          + [Columns(alias, ["dimension", "value_id"])],
      ],
      deciding: dimensions.map { Columns(values(of: $0), ["name"]) } + [
        Columns(value, ["merged_into", "words"]), Columns(alias, ["value_id"]),
        Columns(PlaylistReference.table, "apple_music_playlist_id"),
      ],
      lists: [
        ReversalRules.OrderedList(
          PackMember.table.description, of: ["pack_id"], members: ["item_id"],
          place: "sort_order")
      ],
      sets: [
        ReversalRules.SetColumn(
          tagging, "tags",
          members: { value in
            TagList(columnValue: value).map { Set($0.tags.map { TagList.text(of: [$0]) }) }
          },
          value: { members in
            .text(TagList.text(of: members.flatMap { TagList.tags(in: $0) ?? [] }))
          },
          shownIn: { member in TagList.tags(in: member)?.first?.dimension.joinTable })
      ],
      surrogates: [
        ReversalRules.Surrogate(
          Columns(item, ["number"]), identity: Columns(item, ["item_id"]),
          uses: [
            Columns(itemText, ["number"]), Columns(tagging, ["item_number"]),
            Columns(suppression, ["item_number"]),
          ]),
        ReversalRules.Surrogate(
          Columns(value, ["number"]), identity: Columns(value, ["dimension", "value_id"])),
      ],
      references: dimensions.flatMap { dimension -> [(from: Columns, to: Columns)] in
        let id = Columns(values(of: dimension), ["id"], after: named(dimension))
        return [suppression, PackTag.table.description, alias].map {
          (Columns($0, ["dimension", "value_id"]), id)
        }
          + [(Columns(value, ["dimension", "merged_into"]), id)]
      } + [tagging, suppression].map { (Columns($0, ["item_number"]), Columns(item, ["number"])) }
        + [AppliedManifest.table.description, PackTag.table.description].map {
          (Columns($0, ["pack_id"]), Columns(PackRow.table, "id"))
        }
        + [(Columns(KnownPlaylist.table, "item_id"), Columns(libraryItem, ["id"]))],
      documents: [Columns(AppliedSeed.table, "sha256"), Columns(AppliedManifest.table, "sha256")],
      exclusions: dimensions.map {
        (
          Columns(values(of: $0), ["name"], after: named($0)),
          Columns(alias, ["dimension", "name"])
        )
      })
    rules.reusedNumbers = ReversalRules.ReusedNumbers(
      dimensions.map { Columns(values(of: $0), ["id"], after: named($0)) }, name: "name",
      keeper: Columns(value, ["dimension", "value_id"]),
      uses: [suppression, PackTag.table.description, alias, value].map {
        Columns($0, ["dimension", "value_id"])
      }
        + [Columns(value, ["dimension", "merged_into"])],
      texts: [
        ReversalRules.ReusedNumbers.Text(tagging, "tags") { value, number in
          guard let list = TagList(columnValue: value) else { return value }
          let tags = list.tags.map {
            ItemTag(dimension: $0.dimension, value: number(values(of: $0.dimension), $0.value))
          }
          return .text(TagList.text(of: tags))
        }
      ])
    rules.sets[0].union = ReversalRules.MemberUnion(
      Columns(value, ["dimension", "value_id"]), other: "merged_into",
      identity: { member in
        TagList.tags(in: member)?.first.map {
          [.text($0.dimension.table), .integer($0.value)]
        } ?? []
      },
      united: { row in
        let merged = Columns(value, ["dimension", "merged_into"]).values(of: row)
        guard let dimension = TagDimension(columnValue: merged[0]),
          case .integer(let other) = merged[1]
        else { return nil }
        return TagList.text(of: [ItemTag(dimension: dimension, value: other)])
      })
    rules.seen = [
      ReversalRules.SeenRows(item, as: libraryItem, by: ["item_id"]),
      ReversalRules.SeenRows(itemText, as: libraryItem, by: ["number"]),
      ReversalRules.SeenRows(PackSource.table, as: PackRow.table, by: "pack_id"),
      ReversalRules.SeenRows(AppliedManifest.table, as: PackRow.table, by: "pack_id"),
      ReversalRules.SeenRows(PackTag.table, as: PackRow.table, by: "pack_id"),
      ReversalRules.SeenRows(KnownPlaylist.table, as: PlaylistReference.table, by: "item_id"),
      ReversalRules.SeenRows(TrackType.table, as: CachedTrack.table, by: "track_id"),
      seenValues(Columns(value, ["dimension", "value_id"])),
      seenValues(Columns(alias, ["dimension", "value_id"])),
      // These rows have the item's id in the place of its number: they are none of their types.
      ReversalRules.SeenRows(suppression) { row in
        TagDimension(columnValue: row[1]).map { [(join(of: $0), [row[0], row[2]])] } ?? []
      },
      ReversalRules.SeenRows(tagging) { row in
        (TagList(columnValue: row[TaggingColumn.tags])?.tags ?? []).map {
          (join(of: $0.dimension), [row[TaggingColumn.itemNumber], .integer($0.value)])
        }
      },
    ]
    rules.mentions = [
      (
        tagging,
        { @Sendable row in
          (TagList(columnValue: row[TaggingColumn.tags])?.tags ?? []).map {
            (values(of: $0.dimension), [.integer($0.value)])
          }
        }
      )
    ]
    return rules
  }()

  /// Rows of a table that are seen as those of the values that two of its columns name.
  private static func seenValues(_ columns: ReversalRules.Columns) -> ReversalRules.SeenRows {
    ReversalRules.SeenRows(columns.table) { row in
      let names = columns.values(of: row)
      return TagDimension(columnValue: names[0]).map { [(values(of: $0), [names[1]])] } ?? []
    }
  }
}
