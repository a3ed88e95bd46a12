-- What the planner is told for the Worker's role, here and not on anybody's machine. Pages of a cloud's Postgres lie in memory or on
-- solid disks, where one at random costs about what the next one costs; and no statement of the Worker runs for as long as it takes
-- to compile it.
alter role catalogue_app set random_page_cost = 1.1;
alter role catalogue_app set jit = off;
