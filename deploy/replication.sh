#!/bin/bash
# Lets the standby copy db1, over the network of the compose file only.
echo "host replication $POSTGRES_USER samenet scram-sha-256" >> "$PGDATA/pg_hba.conf"
