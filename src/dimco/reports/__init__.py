"""Reports: tables and pictures made from flat records and fitted codes."""
