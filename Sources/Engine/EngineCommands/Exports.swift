// Who writes commands of a kind imports this module, and has what they are made of.
@_exported public import ArgumentParser
@_exported public import CatalogEngine
