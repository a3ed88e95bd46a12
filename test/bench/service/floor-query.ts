/** The only statement of the floor. */
export const floorQuery = 'select body from floor where path = $1'
