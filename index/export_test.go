package index

// TextsOf lets tests make skills of parsed documents as Build does.
var TextsOf = textsOf
