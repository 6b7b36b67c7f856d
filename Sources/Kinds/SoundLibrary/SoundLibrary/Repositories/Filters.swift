import CatalogModel

/// Which items of a kind are wanted.
///
/// An item passes where it has one of the ids of every dimension that is given any (OR within a
/// dimension, AND across them), none of the excluded ids, and one of the given availabilities, as the
/// catalog has it: `fileMissing`, which only a look at the file tells, is refused.
/// Filters go by id: a rename does not change them, and the id of a value that was merged into another
/// finds that one.
@dynamicMemberLookup
public struct Filters: Hashable, Sendable {
  /// `filters.moodIDs` is short for `filters.included.moodIDs`.
  public var included: TagSelection
  public var excluded: TagSelection
  /// Empty where any will do.
  public var availability: Set<Availability>

  public init(
    locationIDs: [Int64] = [], moodIDs: [Int64] = [], musicThemeIDs: [Int64] = [],
    atmosphereThemeIDs: [Int64] = [], sfxThemeIDs: [Int64] = [], creatureTypeIDs: [Int64] = [],
    excluding excluded: TagSelection = TagSelection(), availability: Set<Availability> = []
  ) {
    included = TagSelection(
      locationIDs: locationIDs, moodIDs: moodIDs, musicThemeIDs: musicThemeIDs,
      atmosphereThemeIDs: atmosphereThemeIDs, sfxThemeIDs: sfxThemeIDs,
      creatureTypeIDs: creatureTypeIDs)
    self.excluded = excluded
    self.availability = availability
  }

  /// Whether everything passes.
  var isEmpty: Bool { availability.isEmpty && included.isEmpty && excluded.isEmpty }

  public subscript(dynamicMember path: WritableKeyPath<TagSelection, [Int64]>) -> [Int64] {
    get { included[keyPath: path] }
    set { included[keyPath: path] = newValue }
  }

  /// The ids of which an item must have one.
  public subscript(dimension: TagDimension) -> [Int64] {
    get { included[dimension] }
    set { included[dimension] = newValue }
  }
}
