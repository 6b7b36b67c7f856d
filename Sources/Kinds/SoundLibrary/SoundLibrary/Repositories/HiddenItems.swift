/// The items that no list shows: few, as a rule, so that it is less work to count all and take these away.
enum HiddenItems {
  /// Gives one column, `item_id`.
  static let sql = "SELECT item_id FROM projection_item WHERE is_visible = 0"
}
