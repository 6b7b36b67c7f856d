public import ArgumentParser
public import CatalogModel

extension EntityID: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(argument)
  }
}
