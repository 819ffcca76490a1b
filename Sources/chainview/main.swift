print("chainview: not built yet")
