/**
 * The size that the code may have. `npm run budgets` fails above a limit; a change that lowers a count lowers its limit in the
 * same commit, and a commit that raises one says why.
 */
export const limits = {
  workerLines: 34338,
  workerFiles: 250,
  sqlLines: 3050,
  sqlFiles: 15,
  /** Assertions of types: `as Type`, `as unknown as`, and assertions by a type argument of `statement<Row>()`. */
  casts: 3,
  /** Phrases of `phrases.ts` in code, SQL, comments and messages. */
  phrases: 0,
  localLines: 11713,
  localFiles: 55,
  /** In src/local. Most are the member `beside` of the file of an export. */
  phrasesOfLocal: 22,
  /** In README.md and .github, except the changelog. Most are titles of tests on the page of platforms. */
  phrasesOfDocuments: 11,
  /** Floors of imports in src/resources/products: a file is one floor above the highest file that it imports. */
  floorsOfProducts: 7,
  /** Executed files of resources; `test/path-length.test.ts` counts them. */
  filesOfPricedList: 14,
  filesOfPatch: 15,
  /** From the commit of a patch to the signed POST, without the files of the patch. */
  filesOfDelivery: 14,
}
