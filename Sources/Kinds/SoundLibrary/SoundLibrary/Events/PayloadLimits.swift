import CatalogModel

/// The limits of lists of tracks.
enum TrackListLimits {
  /// Tracks of a list: 1,000 pages of 100, at which the reader of playlists stops.
  static let tracks: Int64 = 100_000

  /// Tracks of a list that may name the same ones however often.
  static let repeatedTracks = 1_000
  /// How many places a longer list may have for each of its different tracks. Runs copy a list for a few bytes each:
  /// without a bound, twenty events double one track to 100,000 rows, and each event after them makes as many again.
  static let placesPerTrack = 10

  /// The reason why a snapshot's list is too long; nil if it is not.
  static func places(_ count: Int, ofTracks different: Int) -> String? {
    guard count > max(repeatedTracks, placesPerTrack * different) else { return nil }
    return "the list has \(count) places for \(different) tracks, more than \(placesPerTrack) for "
      + "each and \(repeatedTracks) together"
  }
}

// The limits of fields, as docs/EVENTS.md lists them ("What changes nothing").

extension PayloadLimit<Int64> {
  /// A number that counts something. Earlier releases took any number of 64 bits from documents, so logs and rows have
  /// such numbers.
  static var count: PayloadLimit {
    PayloadLimit("0 to \(NumberRules.greatest); logs may have up to 64 bits") { number, isNew in
      if number < 0 { return "is \(number), not a whole number from 0 on" }
      guard isNew, number > NumberRules.greatest else { return nil }
      return "is \(number), not a whole number from 0 to \(NumberRules.greatest)"
    }
  }

  /// A number that orders or names something.
  static var number: PayloadLimit {
    PayloadLimit("at most \(NumberRules.greatest) in magnitude") { number, _ in
      -NumberRules.greatest...NumberRules.greatest ~= number
        ? nil : "is \(number), beyond \(NumberRules.greatest) in magnitude"
    }
  }

  /// The length of a list of tracks.
  static var tracks: PayloadLimit {
    PayloadLimit("0 to \(TrackListLimits.tracks)") { count, _ in
      0...TrackListLimits.tracks ~= count
        ? nil : "is \(count), not from 0 to \(TrackListLimits.tracks)"
    }
  }
}

extension PayloadLimit<Double> {
  static var duration: PayloadLimit {
    PayloadLimit("0 or more") { seconds, _ in
      seconds >= 0 && seconds.isFinite ? nil : "is \(seconds), not 0 or more seconds"
    }
  }
}

extension PayloadLimit<String> {
  /// A short text: a name, an id, a hash.
  static var name: PayloadLimit { bytes(TextRules.nameLimit) }
  static var text: PayloadLimit { bytes(TextRules.textLimit) }

  static var path: PayloadLimit {
    PayloadLimit("names within the catalog's folder") { path, _ in
      InstalledPath.isWithinCatalog(path)
        ? nil : "\"\(JSONExcerpt.printable(path))\" leads out of the catalog's folder"
    }
  }

  private static func bytes(_ most: Int) -> PayloadLimit {
    PayloadLimit(most, "bytes") { $0.utf8.count }
  }
}

extension PayloadLimit<[ListRun<String>]> {
  /// The ids of tracks.
  static var ids: PayloadLimit {
    PayloadLimit("ids of at most \(TextRules.nameLimit) bytes") { runs, _ in
      for case .new(let ids) in runs {
        for id in ids where id.utf8.count > TextRules.nameLimit {
          return "has an id of \(id.utf8.count) bytes; the limit is \(TextRules.nameLimit)"
        }
      }
      return nil
    }
  }
}
