import * as pulumi from "@pulumi/pulumi";

export interface BookcaseArgs {
  /** How many books the bookcase holds. */
  books: pulumi.Input<number>;
}

/** A component for other programs to use, served as a plugin. */
export class Bookcase extends pulumi.ComponentResource {
  /** How many shelves the books need. */
  readonly shelves: pulumi.Output<number>;

  constructor(name: string, args: BookcaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("bookcase:index:Bookcase", name, args, opts);
    this.shelves = pulumi.output(args.books).apply((books) => Math.ceil(books / 10));
    this.registerOutputs({ shelves: this.shelves });
  }
}
