-- Alerts on data points: queries of Analytics Engine's SQL API for each five minutes. Each row of a result is an alert.
-- .github/docs/logs.md names the columns. A stored point stands for `_sample_interval` points.

-- At least 1 % of an operation's requests failed in the service. Find the operation in the log.
select blob3 as operation, sum(_sample_interval) as requests, sumIf(_sample_interval, blob4 >= '500') / sum(_sample_interval) as share
  from catalogue_metrics where timestamp > now() - interval '5' minute and blob1 = 'request'
 group by operation having requests >= 20 and share >= 0.01 order by share desc;

-- The slowest 1 % of an operation's requests took more than two seconds. Find request_slow in the log.
select blob3 as operation, sum(_sample_interval) as requests, quantileExactWeighted(0.99)(double1, _sample_interval) as p99
  from catalogue_metrics where timestamp > now() - interval '5' minute and blob1 = 'request'
 group by operation having requests >= 100 and p99 > 2000 order by p99 desc;

-- Half of a tenant's attempts to deliver failed. See the delivery log of the tenant's subscriptions.
select blob2 as tenant, sum(_sample_interval) as attempts, sumIf(_sample_interval, blob4 <> 'delivered') / sum(_sample_interval) as share
  from catalogue_metrics where timestamp > now() - interval '5' minute and blob1 = 'delivery'
 group by tenant having attempts >= 20 and share >= 0.5 order by share desc;

-- A tenant caused more than a hundred SQL statements a second. See “A tenant floods the service” in .github/docs/operations.md.
select blob2 as tenant, sum(_sample_interval) as requests, sum(_sample_interval * double2) as statements
  from catalogue_metrics where timestamp > now() - interval '5' minute and blob1 = 'request'
 group by tenant having statements > 30000 order by statements desc;
