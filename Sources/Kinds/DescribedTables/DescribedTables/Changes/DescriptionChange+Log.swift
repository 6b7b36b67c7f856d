import CatalogEngine
package import Projections

extension Move {
  /// For people: `products.price is products.cost now`.
  package var sentence: String {
    switch self {
    case .renameTable(let name, let new): "\(name) is \(new) now"
    case .renameColumn(let table, let name, let new): "\(table).\(name) is \(table).\(new) now"
    case .dropTable(let name): "\(name) is dropped"
    case .dropColumn(let table, let name): "\(table).\(name) is dropped"
    }
  }
}

extension DescribedMoment {
  /// The differences from the description before, a line each for people.
  fileprivate func sentences(after former: KindDescription) -> [String] {
    var new = description
    var dropped: Set<String> = []
    for move in moves {
      switch move {
      case .renameTable(let name, let table):
        if let place = new.tables.firstIndex(where: { $0.name == table }) {
          new.tables[place].was = name
        }
      case .renameColumn(let table, let name, let column):
        guard let place = new.tables.firstIndex(where: { $0.name == table }) else { continue }
        let columns = new.tables[place].columns
        if let column = columns.firstIndex(where: { $0.name == column }) {
          new.tables[place].columns[column].was = name
        }
      case .dropTable(let name): dropped.insert(name)
      case .dropColumn(let table, let name): dropped.insert("\(table).\(name)")
      }
    }
    do throws(DescriptionRefusal) {
      let sentences = try DescriptionChange(from: former, to: new, dropping: dropped).sentences
      return sentences.isEmpty ? ["the description is another one"] : sentences
    } catch {
      // A log can have a description that this version of the program would not take. Its moves are known all the same.
      return moves.map(\.sentence)
    }
  }
}

extension DescribedKind: SelfDescribingKind {
  package var firstDescription: UInt64 { program.moments.first?.sequence ?? 1 }

  package func descriptionChanges(in events: ClosedRange<UInt64>) -> [String] {
    zip(program.moments, program.moments.dropFirst()).flatMap { former, next in
      events.contains(next.sequence)
        ? next.moment.sentences(after: former.moment.description) : []
    }
  }

  package func movedNames(in events: ClosedRange<UInt64>) -> [String] {
    program.moments.filter { events.contains($0.sequence) }.flatMap {
      $0.moment.moves.map(\.sentence)
    }
  }

  package func described(through sequence: UInt64) -> any CatalogKind {
    // Before the first description the tables are those of the first, without rows.
    let count = max(1, program.moments.count { $0.sequence <= sequence })
    return count == program.moments.count ? self : DescribedKind(Array(program.moments[..<count]))
  }

  package func describedEarlier(_ fingerprint: ProjectorFingerprint) -> Bool {
    let moments = program.moments
    return moments.indices.dropFirst().reversed().contains { count in
      DescribedKind(Array(moments[..<count])).fingerprint == fingerprint
    }
  }
}
