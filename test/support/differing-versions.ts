import { versions } from '../../src/versions/index.ts'

/**
 * The versions that a caller can distinguish: of versions without a breaking change between them, which are one dialect, the last represents
 * the others, and has all their operations. Long tests run in these; `test/contract.test.ts` calls every operation in every
 * version.
 */
export const differingVersions: readonly string[] = versions.flatMap(({ name }, index) =>
  versions[index + 1]?.breakingChanges.length === 0 ? [] : [name],
)
