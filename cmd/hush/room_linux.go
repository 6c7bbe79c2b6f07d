package main

// What the disk has room for is asked of the data folder; see bolt.Folder.HasRoom.
