package import ArgumentParser

/// The commands of concert archives, in the groups in which help lists them.
package enum ConcertArchiveCommandGroups {
  package static var all: [CommandGroup] {
    [CommandGroup(name: "Concerts", subcommands: [ShowsCommand.self])]
  }
}
