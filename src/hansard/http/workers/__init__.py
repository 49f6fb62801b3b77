"""Several processes behind one port: who starts them, and how they answer as one."""
