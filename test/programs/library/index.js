"use strict";
const pulumi = require("@pulumi/pulumi");

class Bookcase extends pulumi.ComponentResource {
  constructor(name, args) {
    super("bookcase:index:Bookcase", name, { ...args, shelves: undefined }, {}, true);
  }
}

exports.shelves = new Bookcase("bookcase", { books: 42 }).shelves;
