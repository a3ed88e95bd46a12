import { declareProblems } from '../../core/problem.ts'
import { externalIdTaken, notFound } from '../shared/problems.ts'

export const collectionProblems = declareProblems('collection', {
  not_found: notFound('COL-1001', 'collection', 'collection'),
  handle_taken: {
    code: 'COL-1002',
    status: 409,
    description:
      'Another collection has this handle. Send another one, or none to have a free one derived from the title.',
    message: 'Another collection already uses the handle “{handle}”.',
    takenName: 'handle',
  },
  type_immutable: {
    code: 'COL-1003',
    status: 422,
    description: 'The type of a collection is set at creation. Create a new collection of the other type.',
    message: 'The type of a collection cannot be changed. Please create a new collection instead.',
  },
  rule_based_membership: {
    code: 'COL-1004',
    status: 409,
    description:
      'The products of a RULE_BASED collection follow from its rules and cannot be added or removed one by one. Change its rules, or use a MANUAL collection.',
    message: 'The products of this collection are determined by its rules. Please change the rules instead.',
  },
  external_id_taken: externalIdTaken('COL-1005', 'collection', 'collection'),
  rule: {
    code: 'COL-1006',
    status: 422,
    description:
      'The operator of a condition is none that its field takes. Send one of those that the message names.',
    message: 'This rule cannot be applied here. What can be used: {allowed}.',
  },
  rules_limit: {
    code: 'COL-1010',
    status: 422,
    description:
      'A tenant may have so many collections with rules, and so many bytes of rules in all, because every write of a product is judged by each of them. Delete or shorten others first.',
    message: 'There are too many rules. Maximum: {collections} collections with rules, {bytes} bytes in all.',
  },
  manual_rules: {
    code: 'COL-1011',
    status: 422,
    description:
      'rules were sent for a MANUAL collection, whose products are added one by one. Send null, or create a RULE_BASED collection.',
    message:
      'A collection with products that are chosen one by one has no rules. Please remove the rules, or create a collection with rules.',
  },
  not_met: {
    code: 'COL-1007',
    status: 422,
    description:
      'A product was written with a RULE_BASED collection that it is not in. Its rules decide: leave the collection out, or make the product what its rules ask for.',
    message: 'The products of this collection are determined by its rules, which this product does not meet.',
  },
  chosen_limit: {
    code: 'COL-1008',
    status: 422,
    description:
      'A product would be in more MANUAL collections than it may be. Take it out of others first, or use a RULE_BASED collection.',
    message: 'The product would be in too many collections. Maximum: {maximum}.',
  },
})
