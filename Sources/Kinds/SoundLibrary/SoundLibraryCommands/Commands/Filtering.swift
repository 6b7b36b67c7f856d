public import ArgumentParser
import CatalogModel
import CatalogStore
public import SoundLibrary
import Support

extension Kind: ExpressibleByArgument {}
extension Availability: ExpressibleByArgument {
  /// What filters take. `fileMissing` is understood, for the library to say why it is none of them.
  public static var allValueStrings: [String] {
    allCases.filter { $0 != .fileMissing }.map(\.rawValue)
  }
}
extension FacetMode: ExpressibleByArgument {}

/// Tags by the names of their values.
struct TagOptions: ParsableArguments {
  @Option(
    name: .long, help: ArgumentHelp("A location.", valueName: "name"),
    completion: LibraryCompletion.locations)
  var location: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("A mood.", valueName: "name"),
    completion: LibraryCompletion.moods)
  var mood: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("A theme of the item's kind.", valueName: "name"),
    completion: LibraryCompletion.themes)
  var theme: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("A creature type (sfx only).", valueName: "name"),
    completion: LibraryCompletion.creatureTypes)
  var creature: [String] = []

  init() {}

  func validate() throws {
    if all.allSatisfy(\.names.isEmpty) {
      throw ValidationError("name a tag with --location, --mood, --theme or --creature")
    }
  }

  private var all: [(tagKey: String, names: [String])] {
    [("locations", location), ("moods", mood), ("themes", theme), ("creatureTypes", creature)]
  }

  /// The tags once the item's kind is known; throws `ValidationError` if the kind lacks a dimension.
  var names: ItemTagNames {
    let all = all
    return { kind in
      try all.flatMap { tagKey, names in
        let dimension = try names.isEmpty ? nil : TagDimension.withTagKey(tagKey, of: kind)
        return names.compactMap { name in dimension.map { TagName($0, name) } }
      }
    }
  }
}

/// Filters by the names of tag values.
struct FilterOptions: ParsableArguments {
  @Option(
    name: .long, help: ArgumentHelp("Items in this location.", valueName: "name"),
    completion: LibraryCompletion.locations)
  var location: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("Items of this mood.", valueName: "name"),
    completion: LibraryCompletion.moods)
  var mood: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("Items with this theme of their kind.", valueName: "name"),
    completion: LibraryCompletion.themes)
  var theme: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("Items of this creature type (sfx only).", valueName: "name"),
    completion: LibraryCompletion.creatureTypes)
  var creature: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("Not in this location.", valueName: "name"),
    completion: LibraryCompletion.locations)
  var notLocation: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("Not of this mood.", valueName: "name"),
    completion: LibraryCompletion.moods)
  var notMood: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("Not with this theme.", valueName: "name"),
    completion: LibraryCompletion.themes)
  var notTheme: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("Not of this creature type.", valueName: "name"),
    completion: LibraryCompletion.creatureTypes)
  var notCreature: [String] = []

  @Option(name: .long, help: ArgumentHelp("Items with this availability.", valueName: "state"))
  var availability: [Availability] = []

  init() {}

  /// Looks the names up.
  ///
  /// - Parameter kind: nil for items of any kind: a theme is then looked for among those of all kinds.
  /// - Throws: `ValidationError` if the kind lacks a dimension, `StoreError` if a dimension lacks
  ///   a name.
  func filters(
    for kind: Kind?, in vocabulary: VocabularyRepository
  ) async throws -> Filters {
    var filters = Filters(availability: Set(availability))
    for (tagKey, wanted, unwanted) in [
      ("locations", location, notLocation), ("moods", mood, notMood),
      ("themes", theme, notTheme), ("creatureTypes", creature, notCreature),
    ] {
      if wanted.isEmpty, unwanted.isEmpty { continue }
      for name in wanted {
        for (dimension, value) in try await Self.values(name, tagKey, kind, vocabulary) {
          filters.included[dimension].append(value.id)
        }
      }
      for name in unwanted {
        for (dimension, value) in try await Self.values(name, tagKey, kind, vocabulary) {
          filters.excluded[dimension].append(value.id)
        }
      }
    }
    return filters
  }

  /// What a name means in each dimension that has it; at least one.
  private static func values(
    _ name: String, _ tagKey: String, _ kind: Kind?, _ vocabulary: VocabularyRepository
  ) async throws -> [(TagDimension, TagValue)] {
    if let kind {
      let dimension = try TagDimension.withTagKey(tagKey, of: kind)
      return [(dimension, try await vocabulary.value(named: name, in: dimension))]
    }
    var found: [(TagDimension, TagValue)] = []
    var failure = StoreError(.notFound, "there is no \(tagKey) \"\(name)\"")
    for dimension in TagDimension.all where dimension.tagKey == tagKey {
      do {
        found.append((dimension, try await vocabulary.value(named: name, in: dimension)))
      } catch let error as StoreError where error.code == .notFound {
        failure = error
      }
    }
    if found.isEmpty { throw failure }
    return found
  }
}

extension TagDimension {
  fileprivate static func withTagKey(_ tagKey: String, of kind: Kind) throws -> TagDimension {
    guard let dimension = all(of: kind).first(where: { $0.tagKey == tagKey }) else {
      throw ValidationError(
        "items of kind \(kind.rawValue) have no \(tagKey), only "
          + all(of: kind).map(\.tagKey).joined(separator: ", "))
    }
    return dimension
  }
}

/// A dimension by its key.
struct DimensionArgument: ExpressibleByArgument {
  let dimension: TagDimension

  init?(argument: String) {
    guard let dimension = TagDimension.named(argument) else { return nil }
    self.dimension = dimension
  }

  static var allValueStrings: [String] { TagDimension.all.map(\.key) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
