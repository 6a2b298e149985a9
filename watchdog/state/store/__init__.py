"""The SQLite file: tables, one writer, readers. It keeps records and knows no rule."""
