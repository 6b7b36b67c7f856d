public import ArgumentParser

/// The commands of described kinds, in the groups in which help shows them.
public enum DescribedTablesCommandGroups {
  public static let all: [CommandGroup] = []
}
