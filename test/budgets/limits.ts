/**
 * The size that the code may have. `npm run budgets` fails above a limit; a change that lowers a count lowers its limit in the
 * same commit, and a commit that raises one says why.
 */
export const limits = {
  workerLines: 47_191,
  workerFiles: 289,
  sqlLines: 5_224,
  sqlFiles: 49,
  /** Assertions of types: `as Type`, `as unknown as`, and assertions by a type argument of `statement<Row>()`. */
  casts: 3,
  localLines: 13_866,
  localFiles: 70,
  adminLines: 24_502,
  adminFiles: 217,
  /** Those of src as well. */
  testLines: 80_708,
  /** README.md and .github, without the changelog and the generated pages of commands and limits. */
  documentWords: 15_763,
  /** Floors of imports in src/resources/products: a file is one floor above the highest file that it imports. */
  floorsOfProducts: 8,
  /** Executed files of resources; `test/path-length.test.ts` counts them. */
  filesOfPricedList: 15,
  filesOfPatch: 15,
  /** From the commit of a patch to the signed POST, without the files of the patch. */
  filesOfDelivery: 14,
}
