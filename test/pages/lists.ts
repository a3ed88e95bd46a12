/** The lists of /admin, by the last part of their addresses. */
export const lists = [
  'products',
  'categories',
  'collections',
  'sale_offers',
  'purchase_offers',
  'metaobjects',
  'metaobject_definitions',
  'webhook_subscriptions',
]
