#!/bin/bash
# Run once, by the server that makes db1's database: lets the standby copy db1, over the network of the
# compose file only, keeps what it has not fetched yet, and has each write wait for it from the next start on.
# Without a standby nothing is acknowledged: whoever runs db1 alone for long sets synchronous_standby_names to ''.
set -e
echo "host replication $POSTGRES_USER samenet scram-sha-256" >> "$PGDATA/pg_hba.conf"
psql -v ON_ERROR_STOP=1 --no-password --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
SELECT pg_create_physical_replication_slot('db2');
ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (db2)';
SQL
