import * as pulumi from "@pulumi/pulumi";

class Shelf extends pulumi.ComponentResource {
  readonly books: pulumi.Output<number>;

  constructor(name: string, args: { books: pulumi.Input<number> }, opts?: pulumi.ComponentResourceOptions) {
    super("typed:index:Shelf", name, args, opts);
    this.books = pulumi.output(args.books);
    this.registerOutputs({ books: this.books });
  }
}

export const books = new Shelf("shelf", { books: 3 }).books.apply((count) => count + 1);
