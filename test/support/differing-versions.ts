import { versions } from '../../src/versions/index.ts'

/**
 * The versions that a caller can tell apart: of those between which nothing broke, which are one dialect, the last stands for the
 * others, as it has every operation of theirs. What is long is tried in these; `test/contract.test.ts` calls every operation in every
 * version.
 */
export const differingVersions: readonly string[] = versions.flatMap(({ name }, index) =>
  versions[index + 1]?.breakingChanges.length === 0 ? [] : [name],
)
